package io.varve.projection;

import io.varve.store.layout.Slices;
import io.varve.store.offset.LastProcessed;
import io.varve.store.offset.SlicePlace;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What an incarnation knows of its progress: the last number that was let in for each entity, and how far each slice is complete.
 *
 * <p>Envelopes can be completed out of order, as far as entities run in parallel. The place of a slice only moves over those at
 * its beginning, so that what is stored as a place never skips an envelope that is still on its way.
 */
final class Progress {
    /** How far a place can be behind the others before it follows, in microseconds. */
    static final long QUIET = Duration.ofHours(1).toNanos() / 1_000;

    private final long timeWindow;
    private final int maxEntities;
    private final int slicesPerShard;
    private final Optional<Long> acceptResetAfter;
    private final LinkedHashMap<String, Entity> entities = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<Integer, Slice> slices = new HashMap<>();

    /** @param slicesPerShard how many slices the query reads together, in the order of time; 1 if that is not known */
    Progress(Duration timeWindow, int maxEntities, Optional<Duration> acceptResetAfter, int slicesPerShard) {
        this.slicesPerShard = slicesPerShard;
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

        Entity(Slice slice, LastProcessed last) {
            this.slice = slice;
            this.number = last.sequenceNumber();
            this.timestamp = last.timestamp();
            this.holds = 1;
        }
    }

    private static final class Slice {
        private final Deque<Ticket> open = new ArrayDeque<>();
        private @Nullable SlicePlace place;
        private boolean changed;
        private boolean stored;
        private long seen;
        private long reached;

        /** Where a restart must begin: what is open can be late, and older than the place. */
        @Nullable
        SlicePlace restart() {
            if (place == null) {
                return null;
            }
            long oldest = open.stream().mapToLong(ticket -> ticket.cause).min().orElse(Long.MAX_VALUE);
            return oldest < place.timestamp() ? new SlicePlace(oldest, Map.of(), place.setTo()) : place;
        }
    }

    /** An envelope that has been let in and is not complete yet. */
    static final class Ticket {
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
    sealed interface Verdict {
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
        record Reset(LastProcessed replaced) implements Verdict {}
    }

    synchronized void start(Map<Integer, SlicePlace> places) {
        places.forEach((number, place) -> {
            Slice slice = slice(number);
            slice.place = place;
            slice.stored = true;
        });
    }

    /** Keeps entities in memory until they are released; returns those whose last number must be loaded before. */
    synchronized Set<String> hold(Set<String> persistenceIds) {
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
    synchronized void loaded(Set<String> asked, Map<String, LastProcessed> found) {
        for (String persistenceId : asked) {
            LastProcessed last = found.getOrDefault(persistenceId, new LastProcessed(persistenceId, 0, 0));
            entities.put(persistenceId, new Entity(slice(Slices.of(persistenceId)), last));
        }
    }

    synchronized void release(Set<String> persistenceIds) {
        persistenceIds.forEach(persistenceId -> entity(persistenceId).holds--);
        forget();
    }

    synchronized Verdict judge(Position position) {
        Entity entity = entity(position.persistenceId());
        long setTo = setTo(position.slice());
        if (position.timestamp() < setTo) {
            return new Verdict.Duplicate();
        }
        if (position.sequenceNumber() <= entity.number) {
            return acceptResetAfter.isPresent() && position.timestamp() - entity.timestamp > acceptResetAfter.get()
                    ? new Verdict.Reset(new LastProcessed(position.persistenceId(), entity.number, entity.timestamp))
                    : new Verdict.Duplicate();
        }
        if (position.sequenceNumber() == entity.number + 1) {
            return new Verdict.Next();
        }
        return entity.number == 0 || entity.timestamp < setTo
                ? new Verdict.Unknown(entity.number + 1)
                : new Verdict.Gap(entity.number + 1);
    }

    /** Lets an envelope in: those with lower numbers are duplicates from now on. */
    synchronized void admit(Position position) {
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
    synchronized Ticket begin(Position position, long cause) {
        Ticket ticket = new Ticket(position, cause);
        Slice slice = slice(position.slice());
        slice.open.add(ticket);
        slice.seen = Math.max(slice.seen, position.timestamp());
        slice.changed |= slice.place != null && cause < slice.place.timestamp();
        Entity entity = entities.get(position.persistenceId());
        if (entity != null) {
            entity.open++;
        }
        return ticket;
    }

    /** Nobody waits any more for the envelopes of an entity before this one; returns them. */
    synchronized List<Position> passOver(Ticket ticket) {
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
    synchronized void complete(Collection<Ticket> tickets) {
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
    synchronized <E> List<Passing<E>> open(List<Passing<E>> passing) {
        return passing.stream().filter(one -> !one.ticket().complete).toList();
    }

    private static SlicePlace later(@Nullable SlicePlace before, Position position) {
        Map<String, Long> one = Map.of(position.persistenceId(), position.sequenceNumber());
        if (before == null || position.timestamp() > before.timestamp()) {
            return new SlicePlace(position.timestamp(), one, before == null ? 0 : before.setTo());
        }
        if (position.timestamp() < before.timestamp()) {
            return before;
        }
        Map<String, Long> seen = new HashMap<>(before.seen());
        seen.merge(position.persistenceId(), position.sequenceNumber(), Math::max);
        return new SlicePlace(before.timestamp(), seen, before.setTo());
    }

    /**
     * The places that have changed since the last call. A query that finds no place of a slice begins at those of its neighbours;
     * so they wait for envelopes under way that are older, in slices of which no place is stored yet.
     */
    synchronized Map<Integer, SlicePlace> takeChanged() {
        long oldestWithoutPlace = oldestOpen(slices.values(), slice -> !slice.stored);
        followUp();
        Map<Integer, SlicePlace> changed = new HashMap<>();
        slices.forEach((number, slice) -> {
            SlicePlace place = slice.restart();
            if (slice.changed && place != null && place.timestamp() <= oldestWithoutPlace) {
                changed.put(number, place);
                slice.changed = false;
            }
        });
        return changed;
    }

    /**
     * Moves stored places that have fallen far behind, because nothing happens in their slices, to where their shard is: the query
     * of a restart reads a shard from its oldest place on, and would read again what happened since in its other slices.
     */
    private void followUp() {
        Map<Integer, List<Slice>> shards = new HashMap<>();
        slices.forEach((number, slice) -> shards.computeIfAbsent(number / slicesPerShard, shard -> new ArrayList<>())
                .add(slice));
        for (List<Slice> shard : shards.values()) {
            long reached =
                    shard.stream().mapToLong(slice -> slice.reached).max().orElse(0);
            long complete = Math.min(reached, oldestOpen(shard, slice -> true) - 1);
            for (Slice slice : shard) {
                if (slice.stored && slice.place != null && slice.place.timestamp() < complete - QUIET) {
                    slice.place = new SlicePlace(complete, Map.of(), slice.place.setTo());
                    slice.changed = true;
                }
            }
        }
    }

    private static long oldestOpen(Collection<Slice> among, Predicate<Slice> which) {
        return among.stream()
                .filter(which)
                .flatMap(slice -> slice.open.stream())
                .mapToLong(ticket -> ticket.cause)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** These places are stored now. */
    synchronized void stored(Set<Integer> numbers) {
        numbers.forEach(number -> slice(number).stored = true);
    }

    /** Puts back places that could not be stored. */
    synchronized void notStored(Set<Integer> numbers) {
        numbers.forEach(number -> slice(number).changed = true);
    }

    /** The timestamp of the newest event that has come in a slice. */
    synchronized long seen(int slice) {
        return slice(slice).seen;
    }

    /** Before which timestamp somebody has declared the events of a slice to be processed. */
    synchronized long setTo(int slice) {
        SlicePlace place = slice(slice).place;
        return place == null ? 0 : place.setTo();
    }

    /** Slices can be at different times while they catch up, so that an entity is old by what its own slice has seen. */
    private void forget() {
        Iterator<Entity> oldest = entities.values().iterator();
        while (oldest.hasNext()) {
            Entity entity = oldest.next();
            boolean old = entity.timestamp < entity.slice.seen - timeWindow;
            if (entity.inFlight || entity.open > 0 || entity.holds > 0 || !(old || entities.size() > maxEntities)) {
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
    static <E> List<Ticket> tickets(Collection<Passing<E>> passing) {
        return passing.stream().map(Passing::ticket).toList();
    }
}
