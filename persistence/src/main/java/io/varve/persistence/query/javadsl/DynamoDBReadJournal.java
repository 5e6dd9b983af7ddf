package io.varve.persistence.query.javadsl;

import io.varve.persistence.internal.query.Queries;
import io.varve.persistence.internal.query.SliceSourceProbe;
import io.varve.store.internal.layout.EventId;
import io.varve.store.internal.slice.SliceBacklog;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.annotation.InternalApi;
import org.apache.pekko.japi.Pair;
import org.apache.pekko.persistence.Persistence;
import org.apache.pekko.persistence.query.EventEnvelope;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.javadsl.CurrentEventsByPersistenceIdQuery;
import org.apache.pekko.persistence.query.javadsl.CurrentEventsByTagQuery;
import org.apache.pekko.persistence.query.javadsl.CurrentLastSequenceNumberByPersistenceIdQuery;
import org.apache.pekko.persistence.query.javadsl.CurrentPersistenceIdsQuery;
import org.apache.pekko.persistence.query.javadsl.EventsByPersistenceIdQuery;
import org.apache.pekko.persistence.query.javadsl.EventsByTagQuery;
import org.apache.pekko.persistence.query.javadsl.PagedPersistenceIdsQuery;
import org.apache.pekko.persistence.query.javadsl.PersistenceIdsQuery;
import org.apache.pekko.persistence.query.javadsl.ReadJournal;
import org.apache.pekko.persistence.query.typed.javadsl.CurrentEventsBySliceQuery;
import org.apache.pekko.persistence.query.typed.javadsl.EventTimestampQuery;
import org.apache.pekko.persistence.query.typed.javadsl.EventsBySliceQuery;
import org.apache.pekko.persistence.query.typed.javadsl.LoadEventQuery;
import org.apache.pekko.stream.javadsl.Source;

/**
 * The queries on a journal in DynamoDB.
 *
 * <p>A method that returns a source throws at the call what is wrong with its arguments or with the configuration: an {@link
 * IllegalArgumentException} for an offset of another kind, a range of slices or a limit that do not exist, an {@link
 * io.varve.store.KeyException} for a persistence id that cannot be stored, an {@link
 * io.varve.store.SettingsException} where the slice index is switched off. What only the table can tell fails the
 * stream. A method that returns a stage never throws: all of this fails its result. A source can be run any number of times.
 */
public final class DynamoDBReadJournal
        implements ReadJournal,
                PersistenceIdsQuery,
                CurrentPersistenceIdsQuery,
                PagedPersistenceIdsQuery,
                EventsByPersistenceIdQuery,
                CurrentEventsByPersistenceIdQuery,
                CurrentLastSequenceNumberByPersistenceIdQuery,
                EventsByTagQuery,
                CurrentEventsByTagQuery,
                EventsBySliceQuery,
                CurrentEventsBySliceQuery,
                EventTimestampQuery,
                LoadEventQuery {

    private final ExtendedActorSystem system;
    private final Queries queries;

    /** Called by the provider. */
    @InternalApi
    public DynamoDBReadJournal(ExtendedActorSystem system, Queries queries) {
        this.system = system;
        this.queries = queries;
    }

    /** The path of the default configuration. */
    public static String Identifier() {
        return "dynamodb-read-journal";
    }

    @Override
    public Source<String, NotUsed> persistenceIds() {
        return queries.persistenceIds(true);
    }

    @Override
    public Source<String, NotUsed> currentPersistenceIds() {
        return queries.persistenceIds(false);
    }

    @Override
    public Source<String, NotUsed> currentPersistenceIds(Optional<String> afterId, long limit) {
        return queries.persistenceIds(afterId, limit);
    }

    @Override
    public Source<EventEnvelope, NotUsed> eventsByPersistenceId(
            String persistenceId, long fromSequenceNr, long toSequenceNr) {
        return queries.eventsByPersistenceId(persistenceId, fromSequenceNr, toSequenceNr, true);
    }

    @Override
    public Source<EventEnvelope, NotUsed> currentEventsByPersistenceId(
            String persistenceId, long fromSequenceNr, long toSequenceNr) {
        return queries.eventsByPersistenceId(persistenceId, fromSequenceNr, toSequenceNr, false);
    }

    /** As {@link #currentEventsByPersistenceId}, with the envelopes of {@link #eventsBySlices}. */
    public <Event>
            Source<org.apache.pekko.persistence.query.typed.EventEnvelope<Event>, NotUsed>
                    currentTypedEventsByPersistenceId(String persistenceId, long fromSequenceNr, long toSequenceNr) {
        return queries.typedEventsByPersistenceId(persistenceId, fromSequenceNr, toSequenceNr);
    }

    @Override
    public CompletionStage<Optional<Long>> currentLastSequenceNumberByPersistenceId(String persistenceId) {
        return queries.lastSequenceNumber(persistenceId);
    }

    @Override
    public Source<EventEnvelope, NotUsed> eventsByTag(String tag, Offset offset) {
        return queries.eventsByTag(tag, offset, true);
    }

    @Override
    public Source<EventEnvelope, NotUsed> currentEventsByTag(String tag, Offset offset) {
        return queries.eventsByTag(tag, offset, false);
    }

    @Override
    public <Event> Source<org.apache.pekko.persistence.query.typed.EventEnvelope<Event>, NotUsed> eventsBySlices(
            String entityType, int minSlice, int maxSlice, Offset offset) {
        return queries.eventsBySlices(entityType, minSlice, maxSlice, offset, true);
    }

    /**
     * As {@link #eventsBySlices}, and for each event that its event adapter drops an envelope without event, whose {@link
     * io.varve.persistence.query.EventMetadata#parts} are 0: for consumers that store how far they have come.
     */
    @InternalApi
    public <Event>
            Source<org.apache.pekko.persistence.query.typed.EventEnvelope<Event>, NotUsed> eventsBySlicesAndDropped(
                    String entityType, int minSlice, int maxSlice, Offset offset) {
        return queries.eventsBySlicesAndDropped(entityType, minSlice, maxSlice, offset);
    }

    @Override
    public <Event> Source<org.apache.pekko.persistence.query.typed.EventEnvelope<Event>, NotUsed> currentEventsBySlices(
            String entityType, int minSlice, int maxSlice, Offset offset) {
        return queries.eventsBySlices(entityType, minSlice, maxSlice, offset, false);
    }

    /** What {@link #eventsBySlices} of an entity type reads. */
    @InternalApi
    public SliceSourceProbe.Answer reads(String entityType) {
        return queries.reads(entityType);
    }

    /** What consumers of {@link #eventsBySlices} have yet to read. */
    @InternalApi
    public CompletionStage<SliceBacklog> backlog() {
        return queries.backlog();
    }

    @Override
    public int sliceForPersistenceId(String persistenceId) {
        return Persistence.get(system).sliceForPersistenceId(persistenceId);
    }

    @Override
    public List<Pair<Integer, Integer>> sliceRanges(int numberOfRanges) {
        return Persistence.get(system).getSliceRanges(numberOfRanges);
    }

    @Override
    public CompletionStage<Optional<Instant>> timestampOf(String persistenceId, long sequenceNr) {
        return queries.timestampOf(persistenceId, sequenceNr);
    }

    /** As {@link #timestampOf}, for many events with few requests; those that are not there are left out. */
    @InternalApi
    public CompletionStage<Map<EventId, Instant>> timestampsOf(Collection<EventId> events) {
        return queries.timestampsOf(events);
    }

    /** Whether the first event of an entity is still replayed: one that is being deleted is not, although it can be found. */
    @InternalApi
    public CompletionStage<Boolean> holdsFirstEvent(String persistenceId) {
        return queries.holdsFirstEvent(persistenceId);
    }

    @Override
    public <Event> CompletionStage<org.apache.pekko.persistence.query.typed.EventEnvelope<Event>> loadEnvelope(
            String persistenceId, long sequenceNr) {
        return queries.loadEnvelope(persistenceId, sequenceNr);
    }
}
