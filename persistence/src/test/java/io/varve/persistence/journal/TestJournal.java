package io.varve.persistence.journal;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.varve.store.StoreObserver;
import io.varve.store.internal.client.ClientSettings;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.client.GatewaySettings;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.table.TableCreator;
import io.varve.store.table.TableOptions;
import io.varve.store.table.Tables;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.PredecessorTables;
import io.varve.testkit.TableNames;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.GlobalSecondaryIndex;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;

/** Tables and configuration for a test of the journal. */
public final class TestJournal {
    private TestJournal() {}

    /** Creates a journal table. */
    public static String createTable() {
        return createTable(TableNames.fresh().journal());
    }

    /** Creates a journal table of that name. */
    public static String createTable(String table) {
        return createTable(DynamoDBLocal.shared(), table);
    }

    /** Creates a journal table on that server. */
    public static String createTable(DynamoDBLocal server) {
        return createTable(server, TableNames.fresh().journal());
    }

    private static String createTable(DynamoDBLocal server, String table) {
        try (DynamoDbAsyncClient client = server.client()) {
            new TableCreator(
                            new Gateway(
                                    client,
                                    GatewaySettings.from(
                                            ConfigFactory.defaultReference().getConfig(ClientSettings.PATH),
                                            ClientSettings.PATH),
                                    StoreObserver.NONE,
                                    Runnable::run),
                            Duration.ofSeconds(30))
                    .create(Tables.journal(table), TableOptions.DEFAULT)
                    .toCompletableFuture()
                    .join();
        }
        return table;
    }

    /** Creates a table as users of the predecessor have it. */
    public static String createPredecessorTable(GlobalSecondaryIndex... indexes) {
        String table = TableNames.fresh().journal();
        try (DynamoDbAsyncClient client = DynamoDBLocal.shared().client()) {
            PredecessorTables.createJournal(client, table, indexes);
        }
        return table;
    }

    /** Creates a table that has these keys and no indexes. */
    public static String createTable(KeySchemaElement... keys) {
        String table = TableNames.fresh().journal();
        try (DynamoDbAsyncClient client = DynamoDBLocal.shared().client()) {
            client.createTable(create -> create.tableName(table)
                            .billingMode(BillingMode.PAY_PER_REQUEST)
                            .keySchema(keys)
                            .attributeDefinitions(Stream.of(keys)
                                    .map(key -> AttributeDefinition.builder()
                                            .attributeName(key.attributeName())
                                            .attributeType(
                                                    key.keyType() == KeyType.HASH
                                                            ? ScalarAttributeType.S
                                                            : ScalarAttributeType.N)
                                            .build())
                                    .toList()))
                    .join();
        }
        return table;
    }

    /** A part of a table's key: a text as the hash key, a number as the sort key. */
    public static KeySchemaElement key(String attribute, KeyType type) {
        return KeySchemaElement.builder().attributeName(attribute).keyType(type).build();
    }

    /** Configuration of an actor system whose journal is on that table. */
    public static Config config(URI endpoint, String table, String more) {
        return ConfigFactory.parseString(more)
                .withFallback(ConfigFactory.parseString("""
                        pekko {
                          loglevel = WARNING
                          loggers = ["org.apache.pekko.event.slf4j.Slf4jLogger"]
                          logging-filter = "org.apache.pekko.event.slf4j.Slf4jLoggingFilter"
                          persistence.journal.plugin = "dynamodb-journal"
                          persistence.snapshot-store.plugin = "pekko.persistence.no-snapshot-store"
                          persistence.dynamodb.client.local { enabled = on, host = "%s", port = %d }
                          actor.allow-java-serialization = on
                          actor.warn-about-java-serializer-usage = off
                          coordinated-shutdown.run-by-jvm-shutdown-hook = off
                          test.single-expect-default = 20 s # on a busy machine
                        }
                        dynamodb-journal.journal-table = "%s"
                        """.formatted(endpoint.getHost(), endpoint.getPort(), table)))
                .withFallback(ConfigFactory.load())
                .resolve();
    }

    /** Configuration on a new table of the shared DynamoDB Local. */
    public static Config onNewTable(String more) {
        return config(DynamoDBLocal.shared().endpoint(), createTable(), more);
    }

    /** The item of an event as it is stored. */
    public static StoredItem item(String table, String journalName, String persistenceId, long number) {
        try (DynamoDbAsyncClient client = DynamoDBLocal.shared().client()) {
            return new StoredItem(client.getItem(get -> get.tableName(table)
                            .key(new JournalKeys(journalName).eventKey(persistenceId, number))
                            .consistentRead(true))
                    .join()
                    .item());
        }
    }

    /** An item, attribute by attribute; one that is asked for must be there. */
    public record StoredItem(Map<String, AttributeValue> attributes) {
        private AttributeValue get(String attribute) {
            return Objects.requireNonNull(attributes.get(attribute), () -> "no " + attribute + " in " + attributes);
        }

        public boolean has(String attribute) {
            return attributes.containsKey(attribute);
        }

        public String text(String attribute) {
            return get(attribute).s();
        }

        public String number(String attribute) {
            return get(attribute).n();
        }

        public List<String> tags() {
            return get("tags").ss();
        }

        /** The serialized event, which must be a text. */
        public String event() {
            return get("event").b().asUtf8String();
        }
    }
}
