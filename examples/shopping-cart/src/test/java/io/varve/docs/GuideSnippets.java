package io.varve.docs;

import io.micrometer.core.instrument.MeterRegistry;
import io.varve.observe.micrometer.DynamoDBMetrics;
import io.varve.observe.micrometer.ProjectionMetrics;
import io.varve.persistence.DynamoDBClients;
import io.varve.persistence.VarveTables;
import io.varve.store.StoreObserver;
import io.varve.store.table.Difference;
import java.util.List;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.persistence.typed.javadsl.RetentionCriteria;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** The code of the guide. */
final class GuideSnippets {
    private GuideSnippets() {}

    // tables.md
    static List<Difference> createTables(ActorSystem<?> system) {
        VarveTables.createAll(system).toCompletableFuture().join();
        return VarveTables.verify(system).toCompletableFuture().join();
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
