package io.varve.docs;

import com.typesafe.config.Config;
import io.micrometer.core.instrument.MeterRegistry;
import io.varve.observe.micrometer.DynamoDBMetrics;
import io.varve.observe.micrometer.ProjectionMetrics;
import io.varve.persistence.DynamoDBClients;
import io.varve.store.client.StoreObserver;
import io.varve.store.layout.TableDefinition;
import io.varve.store.layout.Tables;
import io.varve.store.table.CreateTables;
import io.varve.store.table.Difference;
import io.varve.store.table.TableOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.persistence.typed.javadsl.RetentionCriteria;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** The code of the guide. */
final class GuideSnippets {
    private GuideSnippets() {}

    // tables.md
    static List<Difference> createTables(ActorSystem<?> system) {
        Config config = system.settings().config();
        Config journal = config.getConfig("dynamodb-journal");
        String path = "pekko.persistence.dynamodb.tables";
        TableOptions options = TableOptions.from(config.getConfig(path), path);
        List<TableDefinition> definitions = List.of(
                Tables.journal(journal.getString("journal-table")),
                Tables.snapshots(config.getString("dynamodb-snapshot-store.snapshot-table")));
        List<Difference> differences = new ArrayList<>();

        try (DynamoDBClients.Connection connection = DynamoDBClients.get(system)
                .connect(
                        journal,
                        "dynamodb-journal",
                        UnaryOperator.identity(),
                        system.classicSystem().dispatcher())) {
            CreateTables tables = new CreateTables(connection.gateway(), Duration.ofSeconds(60));
            for (TableDefinition table : definitions) {
                tables.create(table, options).toCompletableFuture().join();
                differences.addAll(tables.verify(table).toCompletableFuture().join());
            }
        }
        return differences;
    }

    static RetentionCriteria retention() {
        // snapshots.md
        return RetentionCriteria.snapshotEvery(100, 2).withDeleteEventsOnSnapshot();
        // end
    }

    static void ownClient(ActorSystem<?> system, DynamoDbAsyncClient client) {
        // journal.md
        DynamoDBClients.get(system).useClient("pekko.persistence.dynamodb.client", client);
        // end
    }

    static void observer(ActorSystem<?> system, StoreObserver observer) {
        // journal.md
        DynamoDBClients.get(system).observe(observer);
        // end
    }

    static void bindMetrics(ActorSystem<?> system, MeterRegistry registry) {
        DynamoDBMetrics.bind(system, registry);
        ProjectionMetrics.bind(system, registry);
    }
}
