package io.varve.simulation.failsonce.pekko;

import io.varve.persistence.query.javadsl.DynamoDBReadJournal;
import io.varve.projection.DynamoDBProjectionSettings;
import io.varve.projection.DynamoDBTransactHandler;
import io.varve.projection.javadsl.DynamoDBProjection;
import io.varve.projection.javadsl.DynamoDBSourceProvider;
import io.varve.simulation.failsonce.ProjectionBook;
import io.varve.store.Slices;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.Projection;
import org.apache.pekko.projection.ProjectionContext;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.javadsl.Handler;
import org.apache.pekko.projection.javadsl.SourceProvider;
import org.apache.pekko.stream.javadsl.FlowWithContext;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** A projection of the carts in a few slices, in each delivery mode. Handlers count in a table or in a book. */
enum Projections {
    EXACTLY_ONCE {
        @Override
        Projection<?> of(ProjectionBook book, ActorSystem<?> system) {
            return DynamoDBProjection.exactlyOnce(
                    ID, Optional.empty(), events(system), () -> effects(List::of), system);
        }
    },
    EXACTLY_ONCE_BY_GROUP_COMMIT {
        @Override
        Projection<?> of(ProjectionBook book, ActorSystem<?> system) {
            return DynamoDBProjection.exactlyOnce(
                    ID,
                    Optional.of(DynamoDBProjectionSettings.create(system).withGroupCommit(20)),
                    events(system),
                    () -> effects(List::of),
                    system);
        }
    },
    EXACTLY_ONCE_GROUPED {
        @Override
        Projection<?> of(ProjectionBook book, ActorSystem<?> system) {
            return DynamoDBProjection.exactlyOnceGroupedWithin(
                    ID, Optional.empty(), events(system), () -> effects(Function.identity()), system);
        }
    },
    AT_LEAST_ONCE {
        @Override
        Projection<?> of(ProjectionBook book, ActorSystem<?> system) {
            return DynamoDBProjection.atLeastOnce(
                    ID, Optional.empty(), events(system), () -> notes(book, List::of), system);
        }
    },
    AT_LEAST_ONCE_GROUPED {
        @Override
        Projection<?> of(ProjectionBook book, ActorSystem<?> system) {
            return DynamoDBProjection.atLeastOnceGroupedWithin(
                    ID, Optional.empty(), events(system), () -> notes(book, Function.identity()), system);
        }
    },
    AT_LEAST_ONCE_FLOW {
        @Override
        Projection<?> of(ProjectionBook book, ActorSystem<?> system) {
            return DynamoDBProjection.atLeastOnceFlow(
                    ID,
                    Optional.empty(),
                    events(system),
                    FlowWithContext.<EventEnvelope<String>, ProjectionContext>create()
                            .map(envelope -> note(book, List.of(envelope))),
                    system);
        }
    };

    static final ProjectionId ID = ProjectionId.of("projection", "first");
    private static final int SLICES = 32;
    private static final int MIN = Slices.of("cart|a") / SLICES * SLICES;

    /** Entities in these slices. */
    static final List<String> ENTITIES = Stream.iterate(0, i -> i + 1)
            .map(i -> i == 0 ? "cart|a" : "cart|" + i)
            .filter(id -> Slices.of(id) >= MIN && Slices.of(id) < MIN + SLICES)
            .limit(2)
            .toList();

    abstract Projection<?> of(ProjectionBook book, ActorSystem<?> system);

    boolean isExactlyOnce() {
        return this == EXACTLY_ONCE || this == EXACTLY_ONCE_BY_GROUP_COMMIT || this == EXACTLY_ONCE_GROUPED;
    }

    private static SourceProvider<Offset, EventEnvelope<String>> events(ActorSystem<?> system) {
        return DynamoDBSourceProvider.eventsBySlices(
                system, DynamoDBReadJournal.Identifier(), "cart", MIN, MIN + SLICES - 1);
    }

    private static <X> DynamoDBTransactHandler<X> effects(Function<X, List<EventEnvelope<String>>> list) {
        return DynamoDBTransactHandler.fromFunction(
                given -> CompletableFuture.completedFuture(changes(list.apply(given))));
    }

    private static Collection<TransactWriteItem> changes(List<EventEnvelope<String>> envelopes) {
        return envelopes.stream()
                .map(envelope -> ProjectionBook.effect(envelope.persistenceId(), envelope.sequenceNr()))
                .toList();
    }

    private static <X> Handler<X> notes(ProjectionBook book, Function<X, List<EventEnvelope<String>>> list) {
        return Handler.fromFunction(given -> CompletableFuture.completedFuture(note(book, list.apply(given))));
    }

    private static Done note(ProjectionBook book, List<EventEnvelope<String>> envelopes) {
        envelopes.forEach(envelope -> book.handled(envelope.persistenceId(), envelope.sequenceNr()));
        return Done.getInstance();
    }
}
