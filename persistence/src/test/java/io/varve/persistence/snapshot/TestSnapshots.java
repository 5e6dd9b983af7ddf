package io.varve.persistence.snapshot;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.varve.store.StoreObserver;
import io.varve.store.internal.client.ClientSettings;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.client.GatewaySettings;
import io.varve.store.internal.table.TableCreator;
import io.varve.store.table.TableOptions;
import io.varve.store.table.Tables;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.TableNames;
import java.net.URI;
import java.time.Duration;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** Tables and configuration for a test of journal and snapshot store together. */
final class TestSnapshots {
    private TestSnapshots() {}

    /** Creates a journal and a snapshot table. */
    static TableNames createTables() {
        TableNames names = TableNames.fresh();
        try (DynamoDbAsyncClient client = DynamoDBLocal.shared().client()) {
            TableCreator tables = new TableCreator(
                    new Gateway(
                            client,
                            GatewaySettings.from(
                                    ConfigFactory.defaultReference().getConfig(ClientSettings.PATH),
                                    ClientSettings.PATH),
                            StoreObserver.NONE,
                            Runnable::run),
                    Duration.ofSeconds(30));
            tables.create(Tables.journal(names.journal()), TableOptions.DEFAULT)
                    .thenCompose(journal -> tables.create(Tables.snapshots(names.snapshots()), TableOptions.DEFAULT))
                    .toCompletableFuture()
                    .join();
        }
        return names;
    }

    /** Configuration of an actor system on these tables. */
    static Config config(URI endpoint, TableNames names, String more) {
        return ConfigFactory.parseString(more)
                .withFallback(ConfigFactory.parseString(
                        """
                        pekko {
                          loglevel = WARNING
                          loggers = ["org.apache.pekko.event.slf4j.Slf4jLogger"]
                          logging-filter = "org.apache.pekko.event.slf4j.Slf4jLoggingFilter"
                          persistence.journal.plugin = "dynamodb-journal"
                          persistence.snapshot-store.plugin = "dynamodb-snapshot-store"
                          persistence.dynamodb.client.local { enabled = on, host = "%s", port = %d }
                          actor.allow-java-serialization = on
                          actor.warn-about-java-serializer-usage = off
                          coordinated-shutdown.run-by-jvm-shutdown-hook = off
                          test.single-expect-default = 20 s # on a busy machine
                        }
                        dynamodb-journal.journal-table = "%s"
                        dynamodb-snapshot-store.snapshot-table = "%s"
                        """.formatted(endpoint.getHost(), endpoint.getPort(), names.journal(), names.snapshots())))
                .withFallback(ConfigFactory.load());
    }

    /** Configuration on new tables of the shared DynamoDB Local. */
    static Config onNewTables(String more) {
        return config(DynamoDBLocal.shared().endpoint(), createTables(), more);
    }
}
