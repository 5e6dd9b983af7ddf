package io.varve.persistence.journal;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.varve.store.client.ClientSettings;
import io.varve.store.client.Gateway;
import io.varve.store.client.GatewaySettings;
import io.varve.store.client.StoreObserver;
import io.varve.store.layout.Tables;
import io.varve.store.table.CreateTables;
import io.varve.store.table.TableOptions;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.TableNames;
import java.net.URI;
import java.time.Duration;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** Tables and configuration for a test of the journal. */
final class TestJournal {
    private TestJournal() {}

    /** Creates a journal table. */
    static String createTable() {
        String table = TableNames.fresh().journal();
        try (DynamoDbAsyncClient client = DynamoDBLocal.shared().client()) {
            new CreateTables(
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

    /** Configuration of an actor system whose journal is on that table. */
    static Config config(URI endpoint, String table, String more) {
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
                        }
                        dynamodb-journal.journal-table = "%s"
                        """.formatted(endpoint.getHost(), endpoint.getPort(), table)))
                .withFallback(ConfigFactory.load());
    }

    /** Configuration on a new table of the shared DynamoDB Local. */
    static Config onNewTable(String more) {
        return config(DynamoDBLocal.shared().endpoint(), createTable(), more);
    }
}
