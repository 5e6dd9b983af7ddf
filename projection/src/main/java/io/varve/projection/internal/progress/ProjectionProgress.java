package io.varve.projection.internal.progress;

import io.varve.projection.internal.event.InFlight;
import io.varve.projection.internal.event.Position;
import io.varve.store.Slices;
import io.varve.store.internal.offset.LastProcessed;
import io.varve.store.internal.offset.OffsetTable;
import io.varve.store.internal.offset.SetOffsets;
import io.varve.store.internal.offset.SliceOffset;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What an incarnation knows of its progress: the last number that was let in for each entity, and how far each slice is complete.
 *
 * <p>Envelopes can be completed out of order, as far as entities run in parallel. The place of a slice only moves over those at
 * its beginning, so that what is stored as a place never skips an envelope that is still on its way.
 */
public final class ProjectionProgress {
    /** How far a place can be behind the others before it follows, in microseconds. */
    public static final long QUIET = Duration.ofHours(1).toNanos() / 1_000;
    /** The same at the end, so that the next start does not read again what was there for others. */
    public static final long QUIET_AT_THE_END = Duration.ofMinutes(2).toNanos() / 1_000;

    private final long timeWindow;
    private final int maxEntities;
    private final Optional<Long> acceptResetAfter;
    private final LinkedHashMap<String, Entity> entities = new LinkedHashMap<>(16, 0.75f, true);
    private final Set<String> withDropped = new LinkedHashSet<>();
    private final Map<Integer, Slice> slices = new HashMap<>();
    private int slicesPerShard = 1;
    private SetOffsets sets = SetOffsets.NONE;

    public ProjectionProgress(Duration timeWindow, int maxEntities, Optional<Duration> acceptResetAfter) {
        this.timeWindow = timeWindow.toNanos() / 1_000;
        this.maxEntities = maxEntities;
        this.acceptResetAfter = acceptResetAfter.map(after -> after.toNanos() / 1_000);
    }

    private static final class Entity {
        private final Slice slice;
        private long number;
        private long timestamp;
        private boolean inFlight;
        private int open;
        private int holds;
        /** The last event, if an adapter has dropped it and no row says so. */
        private @Nullable LastProcessed dropped;

        Entity(Slice slice, LastProcessed last) {
            this.slice = slice;
            this.number = last.sequenceNumber();
            this.timestamp = last.timestamp();
            this.holds = 1;
        }
    }

    private static final class Slice {
        private final Deque<Ticket> open = new ArrayDeque<>();
        private SliceOffset place = SliceOffset.BEGINNING;
        private SliceOffset stored = SliceOffset.BEGINNING;
        private boolean changed;
        private long seen;
        private long reached;
        /** The oldest event that has come. */
        private long first = Long.MAX_VALUE;

        /** Where a restart must begin: what is open can be late, and older than the place. */
        SliceOffset restart() {
            long oldest = open.stream().mapToLong(ticket -> ticket.cause).min().orElse(Long.MAX_VALUE);
            return oldest < place.timestamp() ? new SliceOffset(oldest, Map.of(), place.setTo()) : place;
        }
    }

    /** An envelope that has been let in and is not complete yet. */
    public static final class Ticket {
        private final Position position;
        private final long cause;
        private boolean processed;
        private boolean complete;

        private Ticket(Position position, long cause) {
            this.position = position;
            this.cause = cause;
        }
    }

    /** What to do with an envelope. */
    public sealed interface Verdict {
        /** It was processed, or is on its way, or counts as processed because the offset was set behind it. */
        record Duplicate() implements Verdict {}

        /** It is the next one. */
        record Next() implements Verdict {}

        /** Others come before it, from {@code from} on. */
        record Gap(long from) implements Verdict {}

        /**
         * Others may come before it, from {@code from} on: nothing is known of the entity, or nothing after the place where
         * somebody has set the offset.
         */
        record Unknown(long from) implements Verdict {}

        /** The entity has begun anew. */
        record Reset() implements Verdict {}

        /** The entity may have begun anew: it has if {@code last} is not what the journal holds under its number. */
        record PerhapsReset(LastProcessed last) implements Verdict {}
    }

    /**
     * Begins where a range of slices is; those that {@code stored} has no place of are at their beginning.
     *
     * @param perShard how many slices the query reads together, in the order of time; 1 if that is not known
     */
    public synchronized void start(int minSlice, int maxSlice, int perShard, OffsetTable.Stored stored) {
        slicesPerShard = perShard;
        sets = stored.sets();
        for (int number = minSlice; number <= maxSlice; number++) {
            Slice slice = slice(number);
            slice.place = stored.places().getOrDefault(number, SliceOffset.BEGINNING);
            slice.stored = slice.place;
        }
    }

    /** Where each slice is. */
    public synchronized Map<Integer, SliceOffset> places() {
        return slices.entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue().place));
    }

    /** What was set by hand before this incarnation has started. */
    public synchronized SetOffsets sets() {
        return sets;
    }

    /** Keeps entities in memory until they are released; returns those whose last number must be loaded before. */
    public synchronized Set<String> hold(Set<String> persistenceIds) {
        Set<String> missing = new HashSet<>();
        for (String persistenceId : persistenceIds) {
            Entity entity = entities.get(persistenceId);
            if (entity == null) {
                missing.add(persistenceId);
            } else {
                entity.holds++;
            }
        }
        return missing;
    }

    /** What {@link #hold} asked for; an entity without a row has processed nothing. */
    public synchronized void loaded(Set<String> asked, Map<String, LastProcessed> found) {
        for (String persistenceId : asked) {
            LastProcessed last = found.getOrDefault(persistenceId, new LastProcessed(persistenceId, 0, 0));
            entities.put(persistenceId, new Entity(slice(Slices.of(persistenceId)), last));
        }
    }

    public synchronized void release(Set<String> persistenceIds) {
        persistenceIds.forEach(persistenceId -> entity(persistenceId).holds--);
        forget();
    }

    public synchronized Verdict judge(Position position) {
        return judge(position, false);
    }

    /** What to do with an envelope, if it is known to belong to the same life of its entity as the last one. */
    public synchronized Verdict judgeInTheSameLife(Position position) {
        return judge(position, true);
    }

    private Verdict judge(Position position, boolean sameLife) {
        Entity entity = entity(position.persistenceId());
        Slice slice = slice(position.slice());
        slice.first = Math.min(slice.first, position.timestamp());
        long setTo = slice.place.setTo();
        if (position.timestamp() < setTo) {
            return new Verdict.Duplicate();
        }
        long younger = position.timestamp() - entity.timestamp;
        boolean anew = entity.number > 0 && acceptResetAfter.isPresent() && younger > acceptResetAfter.get();
        if (position.sequenceNumber() <= entity.number) {
            return anew ? new Verdict.Reset() : new Verdict.Duplicate();
        }
        if (entity.number > 0 && acceptResetAfter.isPresent() && younger < 0) {
            return new Verdict.Duplicate(); // of an earlier life
        }
        if (anew && !sameLife) {
            return new Verdict.PerhapsReset(
                    new LastProcessed(position.persistenceId(), entity.number, entity.timestamp));
        }
        if (position.sequenceNumber() == entity.number + 1) {
            return new Verdict.Next();
        }
        return entity.number == 0 || entity.timestamp < setTo
                ? new Verdict.Unknown(entity.number + 1)
                : new Verdict.Gap(entity.number + 1);
    }

    /** Lets an envelope in: those with lower numbers are duplicates from now on. */
    public synchronized void admit(Position position) {
        Entity entity = entity(position.persistenceId());
        entity.number = position.sequenceNumber();
        entity.timestamp = position.timestamp();
        entity.inFlight = true;
    }

    /**
     * An event begins to be processed; one that was read from the journal to fill a gap was not admitted by itself.
     *
     * @param cause the timestamp of the event that the source has brought: this one, or the one after the gap. If that comes again
     *     after a restart, so does this one
     */
    public synchronized Ticket begin(Position position, long cause) {
        Ticket ticket = new Ticket(position, cause);
        Slice slice = slice(position.slice());
        slice.open.add(ticket);
        slice.seen = Math.max(slice.seen, position.timestamp());
        slice.first = Math.min(slice.first, cause);
        slice.changed |= cause < slice.place.timestamp();
        Entity entity = entities.get(position.persistenceId());
        if (entity != null) {
            entity.open++;
        }
        return ticket;
    }

    /** Nobody waits any more for the envelopes of an entity before this one; returns them. */
    public synchronized List<Position> passOver(Ticket ticket) {
        List<Position> passedOver = new ArrayList<>();
        for (Ticket earlier : slice(ticket.position.slice()).open) {
            if (earlier == ticket) {
                break;
            }
            if (!earlier.processed
                    && !earlier.complete
                    && earlier.position.persistenceId().equals(ticket.position.persistenceId())) {
                close(earlier);
                earlier.processed = true;
                passedOver.add(earlier.position);
            }
        }
        ticket.processed = true;
        return passedOver;
    }

    /** Envelopes are processed, and their entities' rows stored. */
    public synchronized void complete(Collection<Ticket> tickets) {
        for (Ticket ticket : tickets) {
            close(ticket);
            Slice slice = slice(ticket.position.slice());
            for (Ticket first = slice.open.peek(); first != null && first.complete; first = slice.open.peek()) {
                slice.place = later(slice.place, first.position);
                slice.reached = Math.max(slice.reached, first.position.timestamp());
                slice.changed = true;
                slice.open.remove();
            }
            Entity entity = entities.get(ticket.position.persistenceId());
            if (entity != null && entity.number == ticket.position.sequenceNumber()) {
                entity.inFlight = false;
            }
            if (entity != null && entity.dropped != null && entity.dropped.timestamp() <= ticket.position.timestamp()) {
                entity.dropped = null;
                withDropped.remove(ticket.position.persistenceId());
            }
        }
        forget();
    }

    /** An envelope is complete, because there is nothing to process; that is stored for several entities at once. */
    public synchronized void drop(Ticket ticket) {
        complete(List.of(ticket));
        Entity entity = entities.get(ticket.position.persistenceId());
        if (entity != null) {
            entity.dropped = ticket.position.asProcessed();
            withDropped.add(ticket.position.persistenceId());
        }
    }

    /** How many entities have dropped events of which no row says so. */
    public synchronized int dropped() {
        return withDropped.size();
    }

    /** The dropped events up to which all of their entities are complete. */
    public synchronized List<LastProcessed> takeDropped() {
        List<LastProcessed> taken = new ArrayList<>();
        for (String persistenceId : withDropped) {
            Entity entity = entities.get(persistenceId);
            if (entity != null && entity.dropped != null && entity.open == 0) {
                taken.add(entity.dropped);
            }
        }
        return taken;
    }

    /** Rows say so now. */
    public synchronized void storedDropped(List<LastProcessed> stored) {
        for (LastProcessed last : stored) {
            Entity entity = entities.get(last.persistenceId());
            if (entity != null && last.equals(entity.dropped)) {
                entity.dropped = null;
                withDropped.remove(last.persistenceId());
            }
        }
        forget();
    }

    private void close(Ticket ticket) {
        Entity entity = entities.get(ticket.position.persistenceId());
        if (!ticket.complete && entity != null) {
            entity.open--;
        }
        ticket.complete = true;
    }

    /** Those that are not complete. */
    public synchronized <E> List<InFlight<E>> open(List<InFlight<E>> passing) {
        return passing.stream().filter(one -> !one.ticket().complete).toList();
    }

    private static SliceOffset later(SliceOffset before, Position position) {
        Map<String, Long> one = Map.of(position.persistenceId(), position.sequenceNumber());
        if (position.timestamp() > before.timestamp()) {
            return new SliceOffset(position.timestamp(), one, before.setTo());
        }
        if (position.timestamp() < before.timestamp()) {
            return before;
        }
        Map<String, Long> seen = new HashMap<>(before.seen());
        seen.merge(position.persistenceId(), position.sequenceNumber(), Math::max);
        return new SliceOffset(before.timestamp(), seen, before.setTo());
    }

    /** The places that have changed since the last call. */
    public synchronized Map<Integer, SliceOffset> takeChanged() {
        return takeChanged(QUIET);
    }

    /** The same for the last time. */
    public synchronized Map<Integer, SliceOffset> takeLast() {
        return takeChanged(QUIET_AT_THE_END);
    }

    private Map<Integer, SliceOffset> takeChanged(long quiet) {
        followUp(quiet);
        Map<Integer, SliceOffset> changed = new HashMap<>();
        slices.forEach((number, slice) -> {
            if (slice.changed) {
                changed.put(number, slice.restart());
                slice.changed = false;
            }
        });
        return changed;
    }

    /**
     * Moves places that have fallen far behind, because nothing happens in their slices, to where their shard is: the query of a
     * restart reads a shard from its oldest place on, and would read again what happened since in its other slices.
     */
    private void followUp(long quiet) {
        Map<Integer, List<Slice>> shards = new HashMap<>();
        slices.forEach((number, slice) -> shards.computeIfAbsent(number / slicesPerShard, shard -> new ArrayList<>())
                .add(slice));
        for (List<Slice> shard : shards.values()) {
            long reached =
                    shard.stream().mapToLong(slice -> slice.reached).max().orElse(0);
            long complete = Math.min(reached, oldestOpen(shard) - 1);
            long first = shard.stream().mapToLong(slice -> slice.first).min().orElse(0);
            for (Slice slice : shard) {
                long begun = slice.place.isBeginning() ? first : slice.place.timestamp();
                if (begun < complete - quiet) {
                    slice.place = new SliceOffset(complete, Map.of(), slice.place.setTo());
                    slice.changed = true;
                }
            }
        }
    }

    private static long oldestOpen(Collection<Slice> shard) {
        return shard.stream()
                .flatMap(slice -> slice.open.stream())
                .mapToLong(ticket -> ticket.cause)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** These places are stored now. */
    public synchronized void stored(Map<Integer, SliceOffset> places) {
        places.forEach((number, place) -> slice(number).stored = place);
    }

    /** The places that are stored, of the slices that are not at their beginning. */
    public synchronized Map<Integer, SliceOffset> stored() {
        Map<Integer, SliceOffset> stored = new HashMap<>();
        slices.forEach((number, slice) -> {
            if (!slice.stored.isBeginning()) {
                stored.put(number, slice.stored);
            }
        });
        return stored;
    }

    /** Puts back places that could not be stored. */
    public synchronized void notStored(Set<Integer> numbers) {
        numbers.forEach(number -> slice(number).changed = true);
    }

    /** The timestamp of the newest event that has come in a slice. */
    public synchronized long seen(int slice) {
        return slice(slice).seen;
    }

    /** Before which timestamp somebody has declared the events of a slice to be processed. */
    public synchronized long setTo(int slice) {
        return slice(slice).place.setTo();
    }

    /** Slices can be at different times while they catch up, so that an entity is old by what its own slice has seen. */
    private void forget() {
        Iterator<Entity> oldest = entities.values().iterator();
        while (oldest.hasNext()) {
            Entity entity = oldest.next();
            boolean old = entity.timestamp < entity.slice.seen - timeWindow;
            boolean used = entity.inFlight || entity.open > 0 || entity.holds > 0 || entity.dropped != null;
            if (used || !(old || entities.size() > maxEntities)) {
                return;
            }
            oldest.remove();
        }
    }

    private Entity entity(String persistenceId) {
        Entity entity = entities.get(persistenceId);
        if (entity == null) {
            throw new IllegalStateException("The progress of '" + persistenceId + "' is not loaded.");
        }
        return entity;
    }

    private Slice slice(int number) {
        return slices.computeIfAbsent(number, ignored -> new Slice());
    }

    /** The tickets of envelopes. */
    public static <E> List<Ticket> tickets(Collection<InFlight<E>> passing) {
        return passing.stream().map(InFlight::ticket).toList();
    }
}
