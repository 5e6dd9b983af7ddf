package io.varve.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.varve.projection.Recorder.Kind;
import io.varve.projection.internal.pekko.PekkoProjection;
import io.varve.projection.javadsl.CreateTables;
import io.varve.projection.javadsl.DynamoDBSourceProvider;
import io.varve.store.SettingsException;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.ProjectionBehavior;
import org.apache.pekko.projection.ProjectionId;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.TableDescription;

/** Offset tables: made, missing, and a second one. */
class OffsetTableCreationTest {
    private static TestSystem test;

    @BeforeAll
    static void start() {
        test = new TestSystem("""
                second-projection-dynamodb = ${pekko.projection.dynamodb}
                second-projection-dynamodb {
                  offset-store.timestamp-offset-table = "second-%1$s"
                  use-client = "second-projection-dynamodb.client"
                  client.local = ${pekko.persistence.dynamodb.client.local}
                }
                short-projection-dynamodb {
                  offset-store.timestamp-offset-table = "short-%1$s"
                  use-client = "pekko.persistence.dynamodb.client"
                }
                """.formatted(UUID.randomUUID()));
    }

    @AfterAll
    static void stop() {
        test.close();
    }

    private static DynamoDBProjectionSettings settings() {
        return DynamoDBProjectionSettings.create(test.system())
                .withTimestampOffsetTable("created-" + UUID.randomUUID());
    }

    private static void create(DynamoDBProjectionSettings settings, boolean deleteIfExists) {
        CreateTables.createTimestampOffsetStoreTable(test.system(), settings, test.client(), deleteIfExists)
                .toCompletableFuture()
                .join();
    }

    private static void put(DynamoDBProjectionSettings settings) {
        test.client()
                .putItem(put -> put.tableName(settings.timestampOffsetTable())
                        .item(Map.of(
                                "name_slice", AttributeValue.fromS("a-1"),
                                "pid", AttributeValue.fromS("b"))))
                .join();
    }

    private static int count(DynamoDBProjectionSettings settings) {
        return test.client()
                .scan(scan -> scan.tableName(settings.timestampOffsetTable()))
                .join()
                .count();
    }

    @Test
    void table_isCreatedOnce_withTimeToLive_andOnDemand() {
        DynamoDBProjectionSettings settings = settings();
        create(settings, false);
        put(settings);
        create(settings, false);

        assertThat(count(settings)).isEqualTo(1);
        TableDescription table = test.client()
                .describeTable(describe -> describe.tableName(settings.timestampOffsetTable()))
                .join()
                .table();
        assertThat(table.keySchema().toString()).contains("name_slice", "pid");
        assertThat(table.billingModeSummary().billingMode()).isEqualTo(BillingMode.PAY_PER_REQUEST);
        assertThat(test.client()
                        .describeTimeToLive(describe -> describe.tableName(settings.timestampOffsetTable()))
                        .join()
                        .timeToLiveDescription()
                        .attributeName())
                .isEqualTo("expiry");
    }

    @Test
    void deleteIfExists_makesAnEmptyTable_alsoWhereThereWasNone() {
        DynamoDBProjectionSettings settings = settings();
        create(settings, true);
        put(settings);
        create(settings, true);
        assertThat(count(settings)).isZero();
    }

    @Test
    void secondSection_hasItsOwnTableAndClient() {
        for (String path : new String[] {"second-projection-dynamodb", "short-projection-dynamodb"}) {
            DynamoDBProjectionSettings settings = DynamoDBProjectionSettings.create(test.system(), path);
            create(settings, false);
            Recorder recorder = new Recorder(test);
            ActorRef<ProjectionBehavior.Command> projection = test.start(recorder.projection(
                    Kind.EXACTLY_ONCE,
                    ProjectionId.of(path, "all"),
                    Optional.of(settings),
                    DynamoDBSourceProvider.eventsBySlices(test.system(), path, 0, 1023)));
            test.persist(path + "|a", "1");
            await().untilAsserted(
                            () -> assertThat(recorder.applied(path + "|a")).containsExactly("1"));
            test.stop(projection);
            assertThat(count(settings))
                    .as("the entity, its slice, and whose the rows are")
                    .isEqualTo(3);
            assertThat(test.stored(path, path + "|a")).isZero();
        }
        assertThat(DynamoDBProjectionSettings.create(
                                test.system().settings().config().getConfig("second-projection-dynamodb"))
                        .timestampOffsetTable())
                .startsWith("second-");
    }

    @Test
    void clientThatIsNotConfigured_isNamed() {
        DynamoDBProjectionSettings settings = settings().withUseClient("no.client");
        assertThatThrownBy(() -> new Recorder(test)
                        .projection(
                                Kind.EXACTLY_ONCE,
                                ProjectionId.of("no-client", "all"),
                                Optional.of(settings),
                                DynamoDBSourceProvider.eventsBySlices(test.system(), "no-client", 0, 1023)))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("no.client");
        assertThatThrownBy(() -> create(settings, false)).hasMessageContaining("no.client");
    }

    @Test
    void missingTable_isReported_andTheProjectionBeginsWhenItIsThere() {
        DynamoDBProjectionSettings settings = settings();
        Watcher watcher = new Watcher();
        Recorder recorder = new Recorder(test);
        PekkoProjection<EventEnvelope<String>> made = recorder.projection(
                        Kind.EXACTLY_ONCE,
                        ProjectionId.of("missing", "all"),
                        Optional.of(settings),
                        DynamoDBSourceProvider.eventsBySlices(test.system(), "missing", 0, 1023))
                .withStatusObserver(watcher);
        test.persist("missing|a", "1");
        ActorRef<ProjectionBehavior.Command> projection = test.start(made);
        await().untilAsserted(() -> assertThat(watcher.failures())
                .isNotEmpty()
                .allMatch(message -> message.contains(settings.timestampOffsetTable())));

        create(settings, false);

        await().untilAsserted(() -> assertThat(recorder.applied("missing|a")).containsExactly("1"));
        test.stop(projection);
    }
}
