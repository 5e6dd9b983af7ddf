package io.varve.projection.javadsl;

import io.varve.persistence.query.javadsl.DynamoDBReadJournal;
import io.varve.projection.internal.event.EntityEvents;
import io.varve.store.internal.layout.EventId;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.persistence.query.NoOffset;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.PersistenceQuery;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.persistence.query.typed.javadsl.EventTimestampQuery;
import org.apache.pekko.persistence.query.typed.javadsl.LoadEventQuery;
import org.apache.pekko.projection.BySlicesSourceProvider;
import org.apache.pekko.projection.javadsl.SourceProvider;
import org.apache.pekko.stream.javadsl.Source;

/** Events of a journal of Varve by slices, as the source of a projection; missing ones are read in pages. */
public final class DynamoDBSourceProvider {
    private DynamoDBSourceProvider() {}

    /** The events of slices, both bounds inclusive, of the default journal. */
    public static <Event> SourceProvider<Offset, EventEnvelope<Event>> eventsBySlices(
            ActorSystem<?> system, String entityType, int minSlice, int maxSlice) {
        return eventsBySlices(system, DynamoDBReadJournal.Identifier(), entityType, minSlice, maxSlice);
    }

    /** The events of slices, both bounds inclusive, of the journal that a read journal's section names. */
    public static <Event> SourceProvider<Offset, EventEnvelope<Event>> eventsBySlices(
            ActorSystem<?> system, String readJournalPluginId, String entityType, int minSlice, int maxSlice) {
        DynamoDBReadJournal journal =
                PersistenceQuery.get(system).getReadJournalFor(DynamoDBReadJournal.class, readJournalPluginId);
        return new BySlices<>(journal, entityType, minSlice, maxSlice);
    }

    private static final class BySlices<Event> extends SourceProvider<Offset, EventEnvelope<Event>>
            implements BySlicesSourceProvider, EventTimestampQuery, LoadEventQuery, EntityEvents<EventEnvelope<Event>> {
        private final DynamoDBReadJournal journal;
        private final String entityType;
        private final int minSlice;
        private final int maxSlice;

        BySlices(DynamoDBReadJournal journal, String entityType, int minSlice, int maxSlice) {
            this.journal = journal;
            this.entityType = entityType;
            this.minSlice = minSlice;
            this.maxSlice = maxSlice;
        }

        @Override
        public int minSlice() {
            return minSlice;
        }

        @Override
        public int maxSlice() {
            return maxSlice;
        }

        @Override
        public CompletionStage<Source<EventEnvelope<Event>, NotUsed>> source(
                Supplier<CompletionStage<Optional<Offset>>> offset) {
            return offset.get()
                    .thenApply(stored -> journal.eventsBySlicesAndDropped(
                            entityType, minSlice, maxSlice, stored.orElse(NoOffset.getInstance())));
        }

        @Override
        public Offset extractOffset(EventEnvelope<Event> envelope) {
            return envelope.offset();
        }

        @Override
        public long extractCreationTime(EventEnvelope<Event> envelope) {
            return envelope.timestamp();
        }

        @Override
        public Source<EventEnvelope<Event>, NotUsed> events(String persistenceId, long from, long to) {
            return journal.currentTypedEventsByPersistenceId(persistenceId, from, to);
        }

        @Override
        public CompletionStage<Reads> reads() {
            return CompletableFuture.completedFuture(new Reads(journal.reads(entityType)));
        }

        @Override
        public boolean skipsHoles() {
            return true;
        }

        @Override
        public CompletionStage<Optional<Instant>> timestampOf(String persistenceId, long sequenceNr) {
            return journal.timestampOf(persistenceId, sequenceNr);
        }

        @Override
        public CompletionStage<Map<EventId, Instant>> timestampsOf(Collection<EventId> events) {
            return journal.timestampsOf(events);
        }

        @Override
        public CompletionStage<Boolean> holdsFirstEvent(String persistenceId) {
            return journal.holdsFirstEvent(persistenceId);
        }

        @Override
        public <E> CompletionStage<EventEnvelope<E>> loadEnvelope(String persistenceId, long sequenceNr) {
            return journal.loadEnvelope(persistenceId, sequenceNr);
        }
    }
}
