package io.varve.store.internal.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import io.varve.store.SettingsException;
import io.varve.store.StoreObserver;
import io.varve.store.TableException;
import io.varve.store.internal.client.ClientSettings;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.client.GatewaySettings;
import io.varve.store.table.CreatedTable;
import io.varve.store.table.Difference;
import io.varve.store.table.TableDefinition;
import io.varve.store.table.TableOptions;
import io.varve.store.table.Tables;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.PredecessorTables;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.TableNames;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.dynamodb.model.TableDescription;

@DynamoDBTest
@SuppressWarnings("unchecked") // varargs of the SDK's builders
class TableCreatorTest {
    private final FaultProxy proxy;
    private final DynamoDbAsyncClient client;
    private final TableNames names;
    private final ExecutorService executor = Executors.newFixedThreadPool(2);
    private final TableCreator tables;

    TableCreatorTest(FaultProxy proxy, TableNames names) {
        this.proxy = proxy;
        this.client = proxy.client();
        this.names = names;
        this.tables = new TableCreator(
                new Gateway(
                        client,
                        GatewaySettings.from(
                                ConfigFactory.defaultReference().getConfig(ClientSettings.PATH), ClientSettings.PATH),
                        StoreObserver.NONE,
                        executor),
                Duration.ofSeconds(30));
    }

    @AfterEach
    void close() {
        client.close();
        executor.shutdownNow();
    }

    private static <T> T await(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    private TableDescription describe(String table) {
        return client.describeTable(r -> r.tableName(table)).join().table();
    }

    @Test
    void allTables_areCreatedAsDefinedAndVerify() {
        for (TableDefinition table : List.of(
                Tables.journal(names.journal()),
                Tables.snapshots(names.snapshots()),
                Tables.offsets(names.offsets()))) {
            assertThat(await(tables.create(table, TableOptions.DEFAULT)))
                    .isEqualTo(new CreatedTable(table.name(), true, List.of()));
            assertThat(await(tables.verify(table))).isEmpty();
        }
        TableDescription journal = describe(names.journal());
        assertThat(journal.billingModeSummary().billingMode()).isEqualTo(BillingMode.PAY_PER_REQUEST);
        assertThat(journal.globalSecondaryIndexes().stream().map(i -> i.indexName()))
                .containsExactlyInAnyOrder("slice-idx", "pid-idx");
        assertThat(describe(names.snapshots()).localSecondaryIndexes())
                .singleElement()
                .satisfies(i -> assertThat(i.projection().projectionType()).isEqualTo(ProjectionType.KEYS_ONLY));
    }

    @Test
    void creatingAgain_changesNothing() {
        TableDefinition journal = Tables.journal(names.journal());
        await(tables.create(journal, TableOptions.DEFAULT));
        assertThat(await(tables.create(journal, TableOptions.DEFAULT)).created())
                .isFalse();
    }

    @Test
    void twoNodesAtOnce_bothSucceedAndOneHasCreatedIt() {
        TableDefinition journal = Tables.journal(names.journal());
        var gate = proxy.hold(RequestMatch.operation("CreateTable"));
        CompletableFuture<CreatedTable> one =
                tables.create(journal, TableOptions.DEFAULT).toCompletableFuture();
        CompletableFuture<CreatedTable> two =
                tables.create(journal, TableOptions.DEFAULT).toCompletableFuture();
        gate.awaitArrivals(2);
        gate.releaseAll();
        assertThat(List.of(await(one).created(), await(two).created())).containsExactlyInAnyOrder(true, false);
        assertThat(await(tables.verify(journal))).isEmpty();
    }

    @Test
    void answerOfCreateTableLost_isNoError() {
        proxy.on(RequestMatch.operation("CreateTable").times(1), Fault.resetAfter());
        await(tables.create(Tables.offsets(names.offsets()), TableOptions.DEFAULT));
        assertThat(await(tables.verify(Tables.offsets(names.offsets())))).isEmpty();
    }

    @Test
    void timeToLiveEnabledByAnotherNodeMeanwhile_isNoError() {
        String table = names.offsets();
        proxy.on(
                RequestMatch.operation("UpdateTimeToLive").times(1),
                Fault.runAfter(r -> {}).then(Fault.error(400, "ValidationException", "TimeToLive is already enabled")));
        proxy.on(
                RequestMatch.operation("DescribeTimeToLive").skip(1).times(1),
                Fault.respond(
                        "{\"TimeToLiveDescription\":{\"TimeToLiveStatus\":\"ENABLING\",\"AttributeName\":\"expiry\"}}"));
        assertThat(await(tables.create(Tables.offsets(table), TableOptions.DEFAULT))
                        .created())
                .isTrue();
    }

    @Test
    void provisionedCapacityTagsAndBackups_areAskedFor() {
        proxy.on(
                RequestMatch.operation("DescribeContinuousBackups"),
                Fault.respond(
                        "{\"ContinuousBackupsDescription\":{\"ContinuousBackupsStatus\":\"ENABLED\",\"PointInTimeRecoveryDescription\":{\"PointInTimeRecoveryStatus\":\"DISABLED\"}}}"));
        proxy.on(
                RequestMatch.operation("UpdateContinuousBackups"),
                Fault.respond("{\"ContinuousBackupsDescription\":{\"ContinuousBackupsStatus\":\"ENABLED\"}}"));
        TableOptions options = TableOptions.from(
                ConfigFactory.parseString("""
                                billing = provisioned, read-units = 7, write-units = 9
                                point-in-time-recovery = on, tags { team = carts, "cost:center" = 12 }
                                """)
                        .withFallback(ConfigFactory.defaultReference().getConfig("pekko.persistence.dynamodb.tables")),
                "pekko.persistence.dynamodb.tables");
        await(tables.create(Tables.journal(names.journal()), options));
        TableDescription journal = describe(names.journal());
        assertThat(journal.provisionedThroughput().readCapacityUnits()).isEqualTo(7);
        assertThat(journal.globalSecondaryIndexes())
                .allSatisfy(i -> assertThat(i.provisionedThroughput().writeCapacityUnits())
                        .isEqualTo(9));
        assertThat(proxy.requests().requests())
                .filteredOn(r -> r.operation().equals("CreateTable"))
                .singleElement()
                .satisfies(
                        r -> assertThat(r.request().body().toString()).contains("team", "carts", "cost:center", "12"));
        assertThat(proxy.requests().operations()).contains("UpdateContinuousBackups");
    }

    @Test
    void wrongTable_isRefusedWithWhatDiffers() {
        client.createTable(r -> r.tableName(names.journal())
                        .attributeDefinitions(a -> a.attributeName("key").attributeType(ScalarAttributeType.S))
                        .keySchema(k -> k.attributeName("key").keyType(KeyType.HASH))
                        .billingMode(BillingMode.PAY_PER_REQUEST))
                .join();
        assertThat(await(tables.verify(Tables.journal(names.journal()))))
                .extracting(Difference::toString)
                .anySatisfy(text -> assertThat(text)
                        .isEqualTo("table '" + names.journal()
                                + "': its key is HASH key (S), expected HASH par (S), RANGE num (N)"))
                .anySatisfy(
                        text -> assertThat(text)
                                .contains(
                                        "global index 'slice-idx' is missing, expected HASH shard (S), RANGE ts (N) projecting ALL"))
                .anySatisfy(text -> assertThat(text).contains("global index 'pid-idx' is missing"))
                .anySatisfy(text -> assertThat(text).contains("time to live is not enabled on 'expiry'"));
        assertThatThrownBy(() -> await(tables.create(Tables.journal(names.journal()), TableOptions.DEFAULT)))
                .isInstanceOf(TableException.class)
                .hasMessageContaining("its key is HASH key (S), expected HASH par (S), RANGE num (N)");
    }

    @Test
    void tablesOfThePredecessor_areUsableAndTheirDifferencesNamed() {
        PredecessorTables.createSnapshots(client, names.snapshots());
        CreatedTable table = await(tables.create(Tables.snapshots(names.snapshots()), TableOptions.DEFAULT));
        assertThat(table.created()).isFalse();
        assertThat(table.differences()).singleElement().satisfies(d -> {
            assertThat(d.blocking()).isFalse();
            assertThat(d.text())
                    .contains("projects ALL, expected KEYS_ONLY; it works, but each item is written and billed twice");
        });
    }

    @Test
    void missingTable_isADifference() {
        assertThat(await(tables.verify(Tables.offsets(names.offsets()))))
                .containsExactly(new Difference(names.offsets(), true, "does not exist"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "ab", "has space", "slash/y", "ümlaut-table"})
    void nameThatDynamoDbRefuses_isRefusedHere(String name) {
        assertThatThrownBy(() -> tables.create(Tables.offsets(name), TableOptions.DEFAULT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + name + "' is not a table name that DynamoDB allows");
        assertThat(proxy.requests().requests()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    billing = cheap       | billing       | is 'cheap', but must be one of [on-demand, provisioned]
                    read-units = 0        | read-units    | is 0, but must be at least 1
                    time-to-live = maybe  | time-to-live  | has the wrong form
                    backup = on           | backup        | this setting is not known
                    """)
    void wrongOption_stopsWithPathAndReason(String setting, String key, String reason) {
        String path = "pekko.persistence.dynamodb.tables";
        assertThatThrownBy(() -> TableOptions.from(
                        ConfigFactory.parseString(setting)
                                .withFallback(ConfigFactory.defaultReference().getConfig(path)),
                        path))
                .isInstanceOf(SettingsException.class)
                .hasMessageStartingWith(path + "." + key)
                .hasMessageContaining(reason);
    }

    @Test
    void options_byDefault_areOnDemandWithTimeToLive() {
        String path = "pekko.persistence.dynamodb.tables";
        assertThat(TableOptions.from(ConfigFactory.defaultReference().getConfig(path), path))
                .isEqualTo(new TableOptions(Optional.empty(), true, false, false, Map.of()))
                .isEqualTo(TableOptions.DEFAULT);
    }
}
