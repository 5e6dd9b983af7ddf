package io.varve.projection.internal.progress;

import io.varve.projection.internal.event.EntityEvents;
import io.varve.projection.internal.event.Position;
import io.varve.store.Slices;
import io.varve.store.internal.layout.Microseconds;
import io.varve.store.internal.offset.EntityRow;
import io.varve.store.internal.offset.LastProcessed;
import io.varve.store.internal.offset.OffsetTable;
import io.varve.store.internal.offset.SetOffsets;
import io.varve.store.internal.offset.SliceFloor;
import io.varve.store.internal.offset.SliceOffset;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import org.apache.pekko.Done;

/**
 * What a stream knows of its progress: the last number that was let in for each entity, and how far each slice is complete.
 *
 * <p>All of it changes together, under one lock: {@link KnownEntities}, {@link SlicePlaces}, {@link DroppedEvents}
 * and {@link Waits} have none.
 */
public final class StreamProgress {
    private final Optional<Long> acceptResetAfter;
    private final KnownEntities entities;
    private final SlicePlaces places = new SlicePlaces();
    private final DroppedEvents dropped = new DroppedEvents();
    private final Waits waits = new Waits();
    private SetOffsets sets = SetOffsets.NONE;

    public StreamProgress(Duration timeWindow, int maxEntities, Optional<Duration> acceptResetAfter) {
        this.entities = new KnownEntities(Microseconds.of(timeWindow), maxEntities);
        this.acceptResetAfter = acceptResetAfter.map(Microseconds::of);
    }

    /**
     * Begins where a range of slices is; those that {@code stored} has no place of are at their beginning.
     *
     * @param reads what the query reads
     */
    public synchronized void start(int minSlice, int maxSlice, EntityEvents.Reads reads, OffsetTable.Stored stored) {
        sets = stored.sets();
        places.start(minSlice, maxSlice, reads, stored.places());
    }

    /** Where each slice is. */
    public synchronized Map<Integer, SliceOffset> places() {
        return places.all();
    }

    /** What was set by hand before this stream has started. */
    public synchronized SetOffsets sets() {
        return sets;
    }

    /** Keeps entities in memory until they are released; returns those whose last number must be loaded before. */
    public synchronized Set<String> hold(Set<String> persistenceIds) {
        return entities.hold(persistenceIds);
    }

    /** What {@link #hold} asked for; of an entity that was not found, nothing is processed. */
    public synchronized void loaded(Set<String> asked, Map<String, LastProcessed> found, Set<String> again) {
        loaded(asked, found, again, Map.of());
    }

    /** The same, where some are parked. */
    public synchronized void loaded(
            Set<String> asked,
            Map<String, LastProcessed> found,
            Set<String> again,
            Map<String, EntityRow.ParkedAt> parked) {
        Map<String, EntityRow> rows = new HashMap<>();
        found.forEach((persistenceId, last) ->
                rows.put(persistenceId, new EntityRow(last, Optional.ofNullable(parked.get(persistenceId)))));
        parked.forEach((persistenceId, at) ->
                rows.computeIfAbsent(persistenceId, id -> new EntityRow(new LastProcessed(id, 0, 0), Optional.of(at))));
        entities.loaded(asked, rows, again, persistenceId -> places.slice(Slices.of(persistenceId)));
        found.values().forEach(last -> waits.reached(last.persistenceId(), last.sequenceNumber()));
    }

    /** Whether the events of an entity in use are processed again from the first one on, also those before the offset that was set. */
    public synchronized boolean isAppliedAgain(String persistenceId) {
        return entities.isAppliedAgain(persistenceId);
    }

    /** The opposite of {@link #hold}. */
    public synchronized void release(Set<String> persistenceIds) {
        persistenceIds.forEach(persistenceId -> entities.get(persistenceId).release());
        entities.forget();
    }

    /** An event has come: no place is stored that skips it, until it is complete or discarded. */
    public synchronized void arrived(InFlight<?> event) {
        places.slice(event.position().slice()).arrived(event);
    }

    /** An event that has come is a duplicate. */
    public synchronized void discard(InFlight<?> event) {
        places.slice(event.position().slice()).discard(event);
    }

    /** What to do with an event. */
    public synchronized Verdict judge(Position position) {
        return judge(position, false);
    }

    /** What to do with an event, if it is known to belong to the same life of its entity as the last one. */
    public synchronized Verdict judgeInTheSameLife(Position position) {
        return judge(position, true);
    }

    private Verdict judge(Position position, boolean sameLife) {
        return entities.get(position.persistenceId())
                .judge(position, places.slice(position.slice()).setTo(), acceptResetAfter, sameLife);
    }

    /** Lets an event in: those with lower numbers are duplicates from now on. */
    public synchronized void admit(Position position) {
        entities.get(position.persistenceId()).admit(position);
    }

    /** As {@link #admit(Position)}; the event is void when the entity is parked before it is processed. */
    public synchronized void admit(InFlight<?> event) {
        admit(event.position());
        event.setTicket(entities.get(event.position().persistenceId()).ticket());
    }

    /** As {@link #admitPassingOver(Position)}, for an event that is void when the entity is parked. */
    public synchronized void admitPassingOver(InFlight<?> event) {
        admitPassingOver(event.position());
        event.setTicket(entities.get(event.position().persistenceId()).ticket());
    }

    /** As {@link #admit(Position)}; others before it may have been passed over, because somebody has set the offset behind them. */
    public synchronized void admitPassingOver(Position position) {
        entities.get(position.persistenceId()).admitPassingOver(position);
    }

    /** Whether what is stored next of an entity has others before it that were passed over. */
    synchronized boolean passesOver(String persistenceId) {
        return entities.passesOver(persistenceId);
    }

    /** The handler has failed for good: the entity is to be parked at this event, and what was let in after it is void. */
    public synchronized void failed(InFlight<?> event, Throwable cause) {
        event.fail(cause);
    }

    /** The row of an entity says that it is parked at this event. */
    public synchronized void parked(InFlight<?> event) {
        Position position = event.position();
        entities.ifKnown(position.persistenceId(), entity -> entity.park(position));
        dropped.stored(position); // must not be stored any more, because its row would replace the one that says so
        setAside(event);
    }

    /** An event is left alone, because its entity is parked: it waits in the journal, and the place moves past it. */
    public synchronized void setAside(InFlight<?> event) {
        if (!event.hasBegun()) {
            begin(event);
        }
        event.setAside();
        close(event);
        places.slice(event.position().slice()).advance();
        entities.forget();
    }

    /** An event begins to be processed; one that was read from the journal to fill a gap was not admitted by itself. */
    public synchronized void begin(InFlight<?> event) {
        event.setBegun();
        places.slice(event.position().slice()).begin(event);
        entities.ifKnown(event.position().persistenceId(), EntityProgress::begun);
    }

    /** Nobody waits any more for the events of an entity before this one; returns them. */
    public synchronized List<Position> passOver(InFlight<?> event) {
        List<InFlight<?>> passedOver = places.slice(event.position().slice()).notProcessedBefore(event);
        for (InFlight<?> earlier : passedOver) {
            close(earlier);
            earlier.setProcessed();
        }
        event.setProcessed();
        return passedOver.stream().map(InFlight::position).toList();
    }

    /** Events are processed, and their entities' rows stored. */
    public synchronized void complete(Collection<? extends InFlight<?>> events) {
        for (InFlight<?> event : events) {
            complete(event, EntityProgress::stored);
        }
        entities.forget();
    }

    /** The handler is done with an event. Its row may be stored later. */
    public synchronized void handled(InFlight<?> event) {
        Position position = event.position();
        entities.ifKnown(position.persistenceId(), entity -> entity.handled(position));
        waits.reached(position.persistenceId(), position.sequenceNumber());
    }

    /** The number of the event of an entity that is processed last; absent if nothing of the entity is in memory. */
    public synchronized OptionalLong reached(String persistenceId) {
        return entities.reached(persistenceId);
    }

    /** Completes, in the executor, when an event is processed. */
    public synchronized CompletableFuture<Done> whenReached(String persistenceId, long number, Executor executor) {
        if (entities.reached(persistenceId).orElse(0) >= number) {
            return CompletableFuture.completedFuture(Done.getInstance());
        }
        CompletableFuture<Done> told = waits.add(persistenceId, number, executor);
        told.whenComplete((done, thrown) -> {
            if (told.isCancelled()) {
                forgetWaits(persistenceId);
            }
        });
        return told;
    }

    private synchronized void forgetWaits(String persistenceId) {
        waits.removeDone(persistenceId);
    }

    /** Nothing is processed any more: who waits hears this. */
    public synchronized void ended(RuntimeException cause) {
        waits.fail(cause);
    }

    private void complete(InFlight<?> event, BiConsumer<EntityProgress, Position> entityChange) {
        close(event);
        Position position = event.position();
        places.slice(position.slice()).advance();
        entities.ifKnown(position.persistenceId(), entity -> entityChange.accept(entity, position));
        dropped.stored(position);
        waits.reached(position.persistenceId(), position.sequenceNumber());
    }

    /** An event is complete, because there is nothing to process; that is stored for several entities at once. */
    public synchronized void drop(InFlight<?> event) {
        pass(event);
        entities.ifKnown(event.position().persistenceId(), entity -> dropped.add(event.position()));
    }

    /** An event is complete, because there is nothing to process, and nothing is stored of that. */
    synchronized void pass(InFlight<?> event) {
        complete(event, EntityProgress::complete);
        entities.forget();
    }

    /** The timestamp of the last event of an entity in use that is known to be stored; 0 if none is. */
    public synchronized long storedTo(String persistenceId) {
        return entities.storedTo(persistenceId);
    }

    /** How many entities have dropped events of which no row says so. */
    synchronized int dropped() {
        return dropped.size();
    }

    /** The dropped events up to which all of their entities are complete. */
    synchronized List<LastProcessed> takeDropped() {
        return dropped.of(persistenceId -> !entities.hasOpenEvents(persistenceId));
    }

    /** Rows say so now. */
    synchronized void storedDropped(List<LastProcessed> stored) {
        dropped.stored(stored);
    }

    private void close(InFlight<?> event) {
        if (!event.isComplete()) {
            entities.ifKnown(event.position().persistenceId(), EntityProgress::over);
        }
        event.setComplete();
    }

    /** The places that have changed since the last call. */
    public synchronized Map<Integer, SliceOffset> takeChanged() {
        return places.takeChanged(SlicePlaces.QUIET);
    }

    /** The same for the last time. */
    public synchronized Map<Integer, SliceOffset> takeLast() {
        return places.takeChanged(SlicePlaces.QUIET_AT_THE_END);
    }

    /** What the rows of these slices say of those that are read together with them. */
    public synchronized Map<Integer, SliceFloor> floors(Set<Integer> slices) {
        return places.floors(slices);
    }

    /** Whether a restart would miss an event on its way. */
    synchronized boolean skipsAny() {
        return places.skipAny();
    }

    /** Of some slices, the places that must be stored for a restart not to miss events on their way. */
    public synchronized Map<Integer, SliceOffset> skipped(Set<Integer> slices) {
        return places.skipped(slices);
    }

    /** These places are stored now. */
    public synchronized void stored(Map<Integer, SliceOffset> stored) {
        stored.forEach((number, place) -> places.slice(number).stored(place));
    }

    /** The places that are stored, of the slices that are not at their beginning. */
    public synchronized Map<Integer, SliceOffset> stored() {
        return places.stored();
    }

    /** Puts back places that could not be stored. */
    public synchronized void notStored(Set<Integer> numbers) {
        numbers.forEach(number -> places.slice(number).notStored());
    }

    /** The timestamp of the newest event that has come in a slice. */
    synchronized long seen(int slice) {
        return places.slice(slice).seen();
    }

    /** Before which timestamp somebody has declared the events of a slice to be processed. */
    public synchronized long setTo(int slice) {
        return places.slice(slice).setTo();
    }
}
