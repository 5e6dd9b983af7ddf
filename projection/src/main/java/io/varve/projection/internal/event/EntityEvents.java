package io.varve.projection.internal.event;

import io.varve.persistence.internal.query.SliceSourceProbe;
import io.varve.persistence.query.EventMetadata;
import io.varve.store.VarveException;
import io.varve.store.internal.async.Causes;
import io.varve.store.internal.async.Concurrently;
import io.varve.store.internal.layout.EventId;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.pekko.NotUsed;
import org.apache.pekko.japi.Pair;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.persistence.query.typed.javadsl.EventTimestampQuery;
import org.apache.pekko.persistence.query.typed.javadsl.LoadEventQuery;
import org.apache.pekko.projection.javadsl.SourceProvider;
import org.apache.pekko.stream.javadsl.Source;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a projection asks the journal about single entities. */
public interface EntityEvents<E> extends EntityTimes {

    /** The stored events between two numbers, both inclusive, in order. */
    Source<E, NotUsed> events(String persistenceId, long from, long to);

    /**
     * What the source reads.
     *
     * @param entityType whose events, if that is known
     * @param slicesPerShard how many slices together, in the order of time, if that is known
     * @param window how long before its offset it begins; nothing if that is not known
     */
    record Reads(Optional<String> entityType, OptionalInt slicesPerShard, Duration window) {
        public static final Reads UNKNOWN = new Reads(Optional.empty(), OptionalInt.empty(), Duration.ZERO);

        public Reads(SliceSourceProbe.Answer answer) {
            this(Optional.of(answer.entityType()), OptionalInt.of(answer.slicesPerShard()), answer.window());
        }
    }

    /** What the source reads. */
    CompletionStage<Reads> reads();

    /** Of a source provider: ours, or one that can load single events, as Pekko's does. */
    @SuppressWarnings("unchecked")
    static <E> EntityEvents<E> of(SourceProvider<Offset, E> provider) {
        if (provider instanceof EntityEvents<?> own) {
            return (EntityEvents<E>) own;
        }
        if (provider instanceof EventTimestampQuery timestamps && provider instanceof LoadEventQuery load) {
            return new OneByOne<>(provider, timestamps, load);
        }
        throw new IllegalArgumentException(
                "The source provider " + provider.getClass().getName()
                        + " cannot load single events, which a projection of Varve needs when some are missing: use"
                        + " DynamoDBSourceProvider.eventsBySlices, or EventSourcedProvider.eventsBySlices of Pekko.");
    }

    /** Loads events one by one. */
    record OneByOne<E>(SourceProvider<Offset, E> provider, EventTimestampQuery timestamps, LoadEventQuery load)
            implements EntityEvents<E> {
        private static final Logger LOG = LoggerFactory.getLogger(OneByOne.class);
        private static final int PARALLEL = 16;

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
        public CompletionStage<Map<EventId, Instant>> timestampsOf(Collection<EventId> events) {
            Map<EventId, Instant> found = new ConcurrentHashMap<>();
            return Concurrently.run(
                            events,
                            PARALLEL,
                            event -> timestamps
                                    .timestampOf(event.persistenceId(), event.sequenceNumber())
                                    .thenAccept(timestamp -> timestamp.ifPresent(time -> found.put(event, time))))
                    .thenApply(done -> found);
        }

        /** A provider of Pekko's does not say it, but hands the offset on to its query, which does. */
        @Override
        public CompletionStage<Reads> reads() {
            SliceSourceProbe probe = new SliceSourceProbe();
            return provider.source(() -> CompletableFuture.completedFuture(Optional.of(probe)))
                    .handle((source, thrown) -> {
                        if (thrown != null) {
                            LOG.debug("{} does not take a probe.", provider, thrown);
                        }
                        return probe.answer().map(Reads::new).orElse(Reads.UNKNOWN);
                    });
        }
    }
}
