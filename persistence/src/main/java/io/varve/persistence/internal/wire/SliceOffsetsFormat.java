package io.varve.persistence.internal.wire;

import io.varve.persistence.internal.serialization.BinaryReader;
import io.varve.persistence.internal.serialization.BinaryWriter;
import io.varve.persistence.query.SliceOffsets;
import io.varve.store.SliceRange;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.pekko.persistence.query.TimestampOffset;

/**
 * The bytes of slice offsets, in the order of slices, entity types and persistence ids, so that equal offsets have equal bytes.
 * Version 1 knew neither entity types nor floors.
 */
final class SliceOffsetsFormat {
    private static final Comparator<SliceRange> ORDER = Comparator.comparing(SliceRange::entityType)
            .thenComparingInt(SliceRange::min)
            .thenComparingInt(SliceRange::max);

    private SliceOffsetsFormat() {}

    static void write(SliceOffsets offsets, BinaryWriter out) {
        Map<Integer, Map<String, TimestampOffset>> places = new TreeMap<>(offsets.places());
        out.number(places.values().stream().mapToInt(Map::size).sum());
        places.forEach((slice, byType) -> new TreeMap<>(byType).forEach((entityType, place) -> {
            out.number(slice);
            out.text(entityType);
            write(place, out);
        }));
        Map<SliceRange, Instant> floors = new TreeMap<>(ORDER);
        floors.putAll(offsets.floors());
        out.number(floors.size());
        floors.forEach((slices, floor) -> {
            out.text(slices.entityType());
            out.number(slices.min());
            out.number(slices.max());
            out.instant(floor);
        });
    }

    private static void write(TimestampOffset place, BinaryWriter out) {
        out.instant(place.timestamp());
        out.instant(place.readTimestamp());
        Map<String, Long> seen = new TreeMap<>(place.getSeen());
        out.number(seen.size());
        seen.forEach((persistenceId, sequenceNumber) -> {
            out.text(persistenceId);
            out.number(sequenceNumber);
        });
    }

    static SliceOffsets read(BinaryReader in) {
        SliceOffsets offsets = SliceOffsets.EMPTY;
        for (int count = in.count(); count > 0; count--) {
            int slice = in.integer();
            offsets = offsets.plus(in.text(), slice, place(in));
        }
        for (int count = in.count(); count > 0; count--) {
            SliceRange slices = new SliceRange(in.text(), in.integer(), in.integer());
            offsets = offsets.withFloor(slices, in.instant());
        }
        return offsets;
    }

    static SliceOffsets readVersion1(BinaryReader in) {
        SliceOffsets offsets = SliceOffsets.EMPTY;
        for (int count = in.count(); count > 0; count--) {
            int slice = in.integer();
            offsets = offsets.plus(slice, place(in));
        }
        return offsets;
    }

    private static TimestampOffset place(BinaryReader in) {
        return SliceOffsets.timestampOffset(in.instant(), in.instant(), seen(in));
    }

    private static Map<String, Long> seen(BinaryReader in) {
        Map<String, Long> seen = new HashMap<>();
        for (int count = in.count(); count > 0; count--) {
            seen.put(in.text(), in.number());
        }
        return seen;
    }
}
