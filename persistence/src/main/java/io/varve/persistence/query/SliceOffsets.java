package io.varve.persistence.query;

import io.varve.store.layout.Slices;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.TimestampOffset;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.jspecify.annotations.Nullable;
import scala.collection.immutable.HashMap;
import scala.collection.immutable.HashMap$;
import scala.jdk.javaapi.CollectionConverters;
import scala.jdk.javaapi.OptionConverters;

/** The places that a query has reached, one for each slice, so that no slice waits for another. Immutable. */
public final class SliceOffsets extends Offset {
    /** The beginning of all slices. */
    public static final SliceOffsets EMPTY = new SliceOffsets(HashMap$.MODULE$.empty());

    private final HashMap<Integer, TimestampOffset> offsets; // Scala's, which shares its parts with the next one

    private SliceOffsets(HashMap<Integer, TimestampOffset> offsets) {
        this.offsets = offsets;
    }

    /** The places of these slices; all others are at their beginning. */
    public static SliceOffsets of(Map<Integer, TimestampOffset> offsets) {
        SliceOffsets all = EMPTY;
        for (Map.Entry<Integer, TimestampOffset> entry : offsets.entrySet()) {
            all = all.plus(entry.getKey(), entry.getValue());
        }
        return all;
    }

    /** The place in a slice; absent at its beginning. */
    public Optional<TimestampOffset> offset(int slice) {
        return OptionConverters.toJava(offsets.get(checked(slice)));
    }

    /** The places of all slices that are not at their beginning, ordered by slice. */
    public SortedMap<Integer, TimestampOffset> asMap() {
        return new TreeMap<>(CollectionConverters.asJava(offsets));
    }

    /** These, with the event of this envelope passed. */
    public SliceOffsets plus(EventEnvelope<?> envelope) {
        if (envelope.offset() instanceof TimestampOffset offset) {
            return plus(envelope.slice(), offset);
        }
        throw new IllegalArgumentException("The offset of event " + envelope.sequenceNr() + " of '"
                + envelope.persistenceId() + "' is a "
                + envelope.offset().getClass().getName() + ", but must be a TimestampOffset.");
    }

    /** These, with a place in a slice passed: a later one replaces the slice's, one of the same time joins what was seen then. */
    public SliceOffsets plus(int slice, TimestampOffset offset) {
        TimestampOffset before = offset(slice).orElse(null);
        TimestampOffset after = later(before, offset);
        return after.equals(before) ? this : new SliceOffsets(offsets.updated(slice, after));
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
        return other instanceof SliceOffsets that && offsets.equals(that.offsets);
    }

    @Override
    public int hashCode() {
        return offsets.hashCode();
    }

    @Override
    public String toString() {
        if (offsets.isEmpty()) {
            return "SliceOffsets(none)";
        }
        SortedMap<Integer, TimestampOffset> places = asMap();
        Instant first = Instant.MAX;
        Instant last = Instant.MIN;
        for (TimestampOffset place : places.values()) {
            first = place.timestamp().isBefore(first) ? place.timestamp() : first;
            last = place.timestamp().isAfter(last) ? place.timestamp() : last;
        }
        return "SliceOffsets(" + places.size() + " from slice " + places.firstKey() + " to " + places.lastKey() + ", "
                + first + " to " + last + ")";
    }
}
