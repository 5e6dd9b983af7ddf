package io.varve.persistence.query.scaladsl;

import io.varve.persistence.internal.plugin.Futures;
import io.varve.persistence.internal.query.Queries;
import java.time.Instant;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.annotation.InternalApi;
import org.apache.pekko.persistence.Persistence;
import org.apache.pekko.persistence.query.EventEnvelope;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.scaladsl.CurrentEventsByPersistenceIdQuery;
import org.apache.pekko.persistence.query.scaladsl.CurrentEventsByTagQuery;
import org.apache.pekko.persistence.query.scaladsl.CurrentLastSequenceNumberByPersistenceIdQuery;
import org.apache.pekko.persistence.query.scaladsl.CurrentPersistenceIdsQuery;
import org.apache.pekko.persistence.query.scaladsl.EventsByPersistenceIdQuery;
import org.apache.pekko.persistence.query.scaladsl.EventsByTagQuery;
import org.apache.pekko.persistence.query.scaladsl.PagedPersistenceIdsQuery;
import org.apache.pekko.persistence.query.scaladsl.PersistenceIdsQuery;
import org.apache.pekko.persistence.query.scaladsl.ReadJournal;
import org.apache.pekko.persistence.query.typed.scaladsl.CurrentEventsBySliceQuery;
import org.apache.pekko.persistence.query.typed.scaladsl.EventTimestampQuery;
import org.apache.pekko.persistence.query.typed.scaladsl.EventsBySliceQuery;
import org.apache.pekko.persistence.query.typed.scaladsl.LoadEventQuery;
import org.apache.pekko.stream.scaladsl.Source;
import scala.Option;
import scala.collection.immutable.Range;
import scala.collection.immutable.Seq;
import scala.concurrent.Future;
import scala.jdk.javaapi.OptionConverters;

/**
 * The queries on a journal in DynamoDB.
 *
 * <p>A method that returns a source throws at the call what is wrong with its arguments or with the configuration: an {@link
 * IllegalArgumentException} for an offset of another kind, a range of slices or a limit that do not exist, an {@link
 * io.varve.store.KeyException} for a persistence id that cannot be stored, an {@link
 * io.varve.store.SettingsException} where the slice index is switched off. What only the table can tell fails the
 * stream. A method that returns a future never throws: all of this fails its result. A source can be run any number of times.
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
        return queries.persistenceIds(true).asScala();
    }

    @Override
    public Source<String, NotUsed> currentPersistenceIds() {
        return queries.persistenceIds(false).asScala();
    }

    @Override
    public Source<String, NotUsed> currentPersistenceIds(Option<String> afterId, long limit) {
        return queries.persistenceIds(OptionConverters.toJava(afterId), limit).asScala();
    }

    @Override
    public Source<EventEnvelope, NotUsed> eventsByPersistenceId(
            String persistenceId, long fromSequenceNr, long toSequenceNr) {
        return queries.eventsByPersistenceId(persistenceId, fromSequenceNr, toSequenceNr, true)
                .asScala();
    }

    @Override
    public Source<EventEnvelope, NotUsed> currentEventsByPersistenceId(
            String persistenceId, long fromSequenceNr, long toSequenceNr) {
        return queries.eventsByPersistenceId(persistenceId, fromSequenceNr, toSequenceNr, false)
                .asScala();
    }

    @Override
    public Future<Option<Object>> currentLastSequenceNumberByPersistenceId(String persistenceId) {
        return Futures.toScala(queries.lastSequenceNumber(persistenceId)
                .thenApply(last -> OptionConverters.toScala(last.map(number -> (Object) number))));
    }

    @Override
    public Source<EventEnvelope, NotUsed> eventsByTag(String tag, Offset offset) {
        return queries.eventsByTag(tag, offset, true).asScala();
    }

    @Override
    public Source<EventEnvelope, NotUsed> currentEventsByTag(String tag, Offset offset) {
        return queries.eventsByTag(tag, offset, false).asScala();
    }

    @Override
    public <Event> Source<org.apache.pekko.persistence.query.typed.EventEnvelope<Event>, NotUsed> eventsBySlices(
            String entityType, int minSlice, int maxSlice, Offset offset) {
        return queries.<Event>eventsBySlices(entityType, minSlice, maxSlice, offset, true)
                .asScala();
    }

    @Override
    public <Event> Source<org.apache.pekko.persistence.query.typed.EventEnvelope<Event>, NotUsed> currentEventsBySlices(
            String entityType, int minSlice, int maxSlice, Offset offset) {
        return queries.<Event>eventsBySlices(entityType, minSlice, maxSlice, offset, false)
                .asScala();
    }

    @Override
    public int sliceForPersistenceId(String persistenceId) {
        return Persistence.get(system).sliceForPersistenceId(persistenceId);
    }

    @Override
    public Seq<Range> sliceRanges(int numberOfRanges) {
        return Persistence.get(system).sliceRanges(numberOfRanges);
    }

    @Override
    public Future<Option<Instant>> timestampOf(String persistenceId, long sequenceNr) {
        return Futures.toScala(queries.timestampOf(persistenceId, sequenceNr).thenApply(OptionConverters::toScala));
    }

    @Override
    public <Event> Future<org.apache.pekko.persistence.query.typed.EventEnvelope<Event>> loadEnvelope(
            String persistenceId, long sequenceNr) {
        return Futures.toScala(queries.<Event>loadEnvelope(persistenceId, sequenceNr));
    }
}
