package io.varve.projection;

import io.varve.persistence.query.EventMetadata;
import io.varve.store.VarveException;
import io.varve.store.client.Causes;
import java.time.Instant;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.NotUsed;
import org.apache.pekko.japi.Pair;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.persistence.query.typed.javadsl.EventTimestampQuery;
import org.apache.pekko.persistence.query.typed.javadsl.LoadEventQuery;
import org.apache.pekko.projection.javadsl.SourceProvider;
import org.apache.pekko.stream.javadsl.Source;

/** What a projection asks the journal about single entities. */
interface EntityEvents<E> {

    /** The stored events between two numbers, both inclusive, in order. */
    Source<E, NotUsed> events(String persistenceId, long from, long to);

    /** When an event was stored; empty if it is not there. */
    CompletionStage<Optional<Instant>> timestampOf(String persistenceId, long sequenceNumber);

    /** Whether many numbers that are not there cost little. */
    default boolean skipsHoles() {
        return false;
    }

    /** How many slices are read together, in the order of time, if that is known. */
    default OptionalInt slicesPerShard() {
        return OptionalInt.empty();
    }

    /** Of a source provider: ours, or one that can load single events, as Pekko's does. */
    @SuppressWarnings("unchecked")
    static <E> EntityEvents<E> of(SourceProvider<?, E> provider) {
        if (provider instanceof EntityEvents<?> own) {
            return (EntityEvents<E>) own;
        }
        if (provider instanceof EventTimestampQuery timestamps && provider instanceof LoadEventQuery load) {
            return new OneByOne<>(timestamps, load);
        }
        throw new IllegalArgumentException(
                "The source provider " + provider.getClass().getName()
                        + " cannot load single events, which a projection of Varve needs when some are missing: use"
                        + " DynamoDBSourceProvider.eventsBySlices, or EventSourcedProvider.eventsBySlices of Pekko.");
    }

    /** Loads events one by one. */
    record OneByOne<E>(EventTimestampQuery timestamps, LoadEventQuery load) implements EntityEvents<E> {
        @Override
        public Source<E, NotUsed> events(String persistenceId, long from, long to) {
            return Source.unfold(from, next -> next > to ? Optional.empty() : Optional.of(Pair.create(next + 1, next)))
                    .mapAsync(4, number -> load(persistenceId, number))
                    .mapConcat(found -> found.stream().toList());
        }

        @SuppressWarnings("unchecked")
        private CompletionStage<Optional<E>> load(String persistenceId, long number) {
            return load.<Object>loadEnvelope(persistenceId, number).handle((envelope, thrown) -> {
                if (thrown == null) {
                    return Optional.of((E) whole(envelope));
                }
                if (Causes.unwrap(thrown) instanceof NoSuchElementException) {
                    return Optional.empty();
                }
                throw new CompletionException(Causes.unwrap(thrown));
            });
        }

        private static EventEnvelope<?> whole(EventEnvelope<?> envelope) {
            if (EventMetadata.of(envelope).parts() > 1) {
                throw new VarveException("An event adapter makes several events of " + Position.of(envelope)
                        + ", of which this source can only load the first: use DynamoDBSourceProvider.eventsBySlices.");
            }
            return envelope;
        }

        @Override
        public CompletionStage<Optional<Instant>> timestampOf(String persistenceId, long sequenceNumber) {
            return timestamps.timestampOf(persistenceId, sequenceNumber);
        }
    }
}
