package io.varve.docs;

import io.micrometer.core.instrument.MeterRegistry;
import io.varve.docs.ProjectionSnippets.Mailer;
import io.varve.example.shoppingcart.Event;
import io.varve.observe.micrometer.BacklogMetrics;
import io.varve.projection.ProjectionLag;
import io.varve.projection.javadsl.StoredProjection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.javadsl.Handler;
import org.apache.pekko.projection.javadsl.ProjectionManagement;

/** The code of the guide to operating projections. */
final class RebuildSnippets {
    private RebuildSnippets() {}

    static CompletionStage<List<ProjectionLag>> lag(ActorSystem<?> system) {
        // projection-operations.md
        StoredProjection projection = StoredProjection.of(system, "order-mails", "ShoppingCart");
        CompletionStage<List<ProjectionLag>> lag = projection.lag(4);
        // end
        return lag;
    }

    static void meters(ActorSystem<?> system, MeterRegistry registry, StoredProjection projection) {
        // projection-operations.md
        BacklogMetrics.bind(system, registry, projection, 4, Duration.ofMinutes(1));
        // end
    }

    // projection-operations.md
    static final class OrderMailsBesideOldOnes extends Handler<EventEnvelope<Event>> {
        private final StoredProjection old;
        private final Mailer mailer;

        OrderMailsBesideOldOnes(StoredProjection old, Mailer mailer) {
            this.old = old;
            this.mailer = mailer;
        }

        @Override
        public CompletionStage<Done> process(EventEnvelope<Event> envelope) {
            if (!(envelope.getEvent() instanceof Event.CheckedOut order)) {
                return CompletableFuture.completedFuture(Done.getInstance());
            }
            return old.hasProcessed(envelope)
                    .thenCompose(history -> history
                            ? CompletableFuture.completedFuture(Done.getInstance())
                            : mailer.send(envelope.persistenceId() + "-" + order.order(), "Thank you."));
        }
    }
    // end

    static CompletionStage<Done> switchOver(ActorSystem<?> system) {
        // projection-operations.md
        StoredProjection rebuilt = StoredProjection.of(system, "order-mails-2", "ShoppingCart");
        CompletionStage<Done> switched = rebuilt.whenCaughtUp(Duration.ofHours(12))
                .thenCompose(
                        caughtUp -> ProjectionManagement.get(system).pause(ProjectionId.of("order-mails", "0-1023")));
        // end
        return switched;
    }

    static CompletionStage<Done> cleanUp(ActorSystem<?> system) {
        // projection-operations.md
        StoredProjection old = StoredProjection.of(system, "order-mails", "ShoppingCart");
        CompletionStage<Done> deleted = old.deleteProgress();
        // end
        return deleted;
    }
}
