package io.varve.persistence.query;

import io.varve.store.SliceRange;
import io.varve.store.Slices;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.pekko.annotation.InternalApi;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.TimestampOffset;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.jspecify.annotations.Nullable;
import scala.collection.immutable.HashMap;
import scala.collection.immutable.HashMap$;
import scala.jdk.javaapi.CollectionConverters;
import scala.jdk.javaapi.OptionConverters;

/**
 * How far a query has come, slice by slice, so that no slice waits for another. Immutable.
 *
 * <p>A <i>place</i> is that of the last event of a slice of an entity type. A <i>floor</i> says of a range of slices that every
 * event before a time has been handled; a slice without a place begins there. A slice with neither begins at the beginning:
 * nothing is concluded from other slices.
 */
public final class SliceOffsets extends Offset {
    /** Stands for every entity type, where a place does not say which. A type never contains this character. */
    @InternalApi
    public static final String ANY_TYPE = "|";

    /** The beginning of all slices. */
    public static final SliceOffsets EMPTY =
            new SliceOffsets(HashMap$.MODULE$.empty(), HashMap$.MODULE$.empty(), false);

    /** By slice and entity type. The maps are Scala's, which share their parts with the next ones. */
    private final HashMap<Integer, Map<String, TimestampOffset>> places;

    private final HashMap<SliceRange, Instant> floors;
    private final boolean eventOffsets;

    private SliceOffsets(
            HashMap<Integer, Map<String, TimestampOffset>> places,
            HashMap<SliceRange, Instant> floors,
            boolean eventOffsets) {
        this.places = places;
        this.floors = floors;
        this.eventOffsets = eventOffsets;
    }

    /** The places of these slices, as {@link #plus(int, TimestampOffset)} takes them; all others are at their beginning. */
    public static SliceOffsets of(Map<Integer, TimestampOffset> offsets) {
        SliceOffsets all = EMPTY;
        for (Map.Entry<Integer, TimestampOffset> entry : offsets.entrySet()) {
            all = all.plus(entry.getKey(), entry.getValue());
        }
        return all;
    }

    /** The place in a slice, the earliest one if several entity types have one; absent if none has. */
    public Optional<TimestampOffset> offset(int slice) {
        Map<String, TimestampOffset> byType = byType(slice);
        return byType.keySet().stream()
                .filter(type -> !type.equals(ANY_TYPE) || byType.size() == 1)
                .flatMap(type -> offset(type, slice).stream())
                .min(Comparator.comparing(TimestampOffset::timestamp));
    }

    /** The place of an entity type in a slice; absent if no event of it was handled. */
    public Optional<TimestampOffset> offset(String entityType, int slice) {
        Map<String, TimestampOffset> byType = byType(slice);
        TimestampOffset any = byType.get(ANY_TYPE);
        TimestampOffset own = byType.get(entityType);
        return own == null ? Optional.ofNullable(any) : Optional.of(later(any, own));
    }

    private Map<String, TimestampOffset> byType(int slice) {
        return OptionConverters.toJava(places.get(checked(slice))).orElse(Map.of());
    }

    /** The time before which every event of an entity type in a slice has been handled, if that is known. */
    public Optional<Instant> floor(String entityType, int slice) {
        SliceRange one = new SliceRange(entityType, slice, slice);
        return floors().entrySet().stream()
                .filter(entry -> entry.getKey().contains(one))
                .map(Map.Entry::getValue)
                .max(Comparator.naturalOrder());
    }

    /** The places of all slices that have one, ordered by slice; the earliest one where several entity types have one. */
    public SortedMap<Integer, TimestampOffset> asMap() {
        SortedMap<Integer, TimestampOffset> earliest = new TreeMap<>();
        places().keySet().forEach(slice -> offset(slice).ifPresent(place -> earliest.put(slice, place)));
        return earliest;
    }

    /** By slice and entity type. */
    @InternalApi
    public Map<Integer, Map<String, TimestampOffset>> places() {
        return CollectionConverters.asJava(places);
    }

    /** The floors that are known. */
    @InternalApi
    public Map<SliceRange, Instant> floors() {
        return CollectionConverters.asJava(floors);
    }

    /** The entity types of which something is known. */
    @InternalApi
    public Set<String> entityTypes() {
        Set<String> types = new HashSet<>();
        places().values().forEach(byType -> types.addAll(byType.keySet()));
        floors().keySet().forEach(range -> types.add(range.entityType()));
        return types;
    }

    /**
     * These, with the event of this envelope passed. Where the query was begun with slice offsets, the envelope's own are these
     * already. Events must be passed in the order in which the query delivers them.
     */
    public SliceOffsets plus(EventEnvelope<?> envelope) {
        if (envelope.offset() instanceof TimestampOffset offset) {
            return plus(envelope.entityType(), envelope.slice(), offset);
        }
        if (envelope.offset() instanceof SliceOffsets reached) {
            return plus(reached, envelope.entityType(), envelope.slice());
        }
        throw new IllegalArgumentException("The offset of event " + envelope.sequenceNr() + " of '"
                + envelope.persistenceId() + "' is a "
                + envelope.offset().getClass().getName() + ", but must be a TimestampOffset or SliceOffsets.");
    }

    /** These and others of the same consumer: those of slices that another instance has read, for example. */
    public SliceOffsets plus(SliceOffsets others) {
        if (places.isEmpty() && floors.isEmpty()) {
            return others;
        }
        SliceOffsets all = this;
        for (Map.Entry<Integer, Map<String, TimestampOffset>> slice :
                others.places().entrySet()) {
            for (Map.Entry<String, TimestampOffset> place : slice.getValue().entrySet()) {
                all = all.plus(place.getKey(), slice.getKey(), place.getValue());
            }
        }
        for (Map.Entry<SliceRange, Instant> entry : others.floors().entrySet()) {
            all = all.withFloor(entry.getKey(), entry.getValue());
        }
        return all;
    }

    /** These, with what others say of one slice. */
    private SliceOffsets plus(SliceOffsets others, String entityType, int slice) {
        SliceOffsets all = this;
        TimestampOffset place = others.byType(slice).get(entityType);
        if (place != null) {
            all = all.plus(entityType, slice, place);
        }
        SliceRange one = new SliceRange(entityType, slice, slice);
        for (Map.Entry<SliceRange, Instant> entry : others.floors().entrySet()) {
            if (entry.getKey().contains(one)) {
                all = all.withFloor(entry.getKey(), entry.getValue());
            }
        }
        return all;
    }

    /**
     * These, with a place in a slice passed: a later one replaces the slice's, one of the same time joins what was seen then. It
     * belongs to the entity types of what it has seen in the slice, or to all if there is nothing.
     */
    public SliceOffsets plus(int slice, TimestampOffset offset) {
        Set<String> types = offset.getSeen().keySet().stream()
                .filter(persistenceId -> Slices.of(persistenceId) == slice)
                .map(Slices::entityType)
                .collect(Collectors.toSet());
        SliceOffsets all = this;
        for (String type : types.isEmpty() ? Set.of(ANY_TYPE) : types) {
            all = all.plus(type, slice, offset);
        }
        return all;
    }

    /** These, with a place in a slice of an entity type passed. */
    public SliceOffsets plus(String entityType, int slice, TimestampOffset offset) {
        Map<String, TimestampOffset> byType = byType(slice);
        TimestampOffset before = byType.get(entityType);
        TimestampOffset after = later(before, offset);
        if (after.equals(before)) {
            return this;
        }
        Map<String, TimestampOffset> updated = new java.util.HashMap<>(byType);
        updated.put(entityType, after);
        return new SliceOffsets(places.updated(slice, Map.copyOf(updated)), floors, eventOffsets);
    }

    /** These, with every event of a range of slices handled that is before a time. */
    public SliceOffsets withFloor(SliceRange slices, Instant floor) {
        Optional<Instant> before = OptionConverters.toJava(floors.get(slices));
        if (before.isPresent() && !floor.isAfter(before.get())) {
            return this;
        }
        HashMap<SliceRange, Instant> all = floors;
        if (before.isEmpty()) {
            for (Map.Entry<SliceRange, Instant> entry : floors().entrySet()) {
                if (slices.contains(entry.getKey()) && !entry.getValue().isAfter(floor)) {
                    all = all.removed(entry.getKey());
                }
            }
        }
        return new SliceOffsets(places, all.updated(slices, floor), eventOffsets);
    }

    /**
     * These, as the start of a query whose envelopes carry the offset of their event alone, a {@link TimestampOffset}: for
     * consumers that put places together themselves, as a projection does.
     */
    public SliceOffsets withEventOffsets() {
        return new SliceOffsets(places, floors, true);
    }

    /** Whether envelopes carry the offset of their event alone. */
    @InternalApi
    public boolean hasEventOffsets() {
        return eventOffsets;
    }

    private static TimestampOffset later(@Nullable TimestampOffset before, TimestampOffset next) {
        int order = before == null ? -1 : before.timestamp().compareTo(next.timestamp());
        if (before == null || order < 0) {
            return next;
        }
        return order > 0 ? before : joined(before, next);
    }

    private static TimestampOffset joined(TimestampOffset one, TimestampOffset other) {
        Map<String, Long> seen = new java.util.HashMap<>(one.getSeen());
        other.getSeen().forEach((persistenceId, number) -> seen.merge(persistenceId, number, Math::max));
        Instant read =
                one.readTimestamp().isBefore(other.readTimestamp()) ? other.readTimestamp() : one.readTimestamp();
        return timestampOffset(one.timestamp(), read, seen);
    }

    /** Pekko's offset from Java's values. */
    public static TimestampOffset timestampOffset(Instant timestamp, Instant read, Map<String, Long> seen) {
        return new TimestampOffset(
                timestamp, read, HashMap$.MODULE$.from(CollectionConverters.asScala(Map.<String, Object>copyOf(seen))));
    }

    private static int checked(int slice) {
        if (slice < 0 || slice >= Slices.NUMBER) {
            throw new IllegalArgumentException(
                    "There is no slice " + slice + ": they are numbered from 0 to " + (Slices.NUMBER - 1) + ".");
        }
        return slice;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SliceOffsets that && places.equals(that.places) && floors.equals(that.floors);
    }

    @Override
    public int hashCode() {
        return 31 * places.hashCode() + floors.hashCode();
    }

    @Override
    public String toString() {
        SortedMap<Integer, TimestampOffset> earliest = asMap();
        if (earliest.isEmpty()) {
            return "SliceOffsets(none)";
        }
        Instant first = Instant.MAX;
        Instant last = Instant.MIN;
        for (TimestampOffset place : earliest.values()) {
            first = place.timestamp().isBefore(first) ? place.timestamp() : first;
            last = place.timestamp().isAfter(last) ? place.timestamp() : last;
        }
        return "SliceOffsets(" + earliest.size() + " from slice " + earliest.firstKey() + " to " + earliest.lastKey()
                + ", " + first + " to " + last + ")";
    }
}
