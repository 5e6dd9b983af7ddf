package io.varve.persistence.query;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.pekko.persistence.query.TimestampOffset;

/** The bytes of slice offsets, in the order of slices and of persistence ids, so that equal offsets have equal bytes. */
final class SliceOffsetsFormat {
    private SliceOffsetsFormat() {}

    static void write(SliceOffsets offsets, BinaryWriter out) {
        Map<Integer, TimestampOffset> places = offsets.asMap();
        out.number(places.size());
        places.forEach((slice, place) -> {
            out.number(slice);
            out.instant(place.timestamp());
            out.instant(place.readTimestamp());
            Map<String, Long> seen = new TreeMap<>(place.getSeen());
            out.number(seen.size());
            seen.forEach((persistenceId, sequenceNumber) -> {
                out.text(persistenceId);
                out.number(sequenceNumber);
            });
        });
    }

    static SliceOffsets read(BinaryReader in) {
        int count = in.count();
        Map<Integer, TimestampOffset> places = new HashMap<>();
        for (int i = 0; i < count; i++) {
            int slice = in.integer();
            places.put(slice, SliceOffsets.timestampOffset(in.instant(), in.instant(), seen(in)));
        }
        return SliceOffsets.of(places);
    }

    private static Map<String, Long> seen(BinaryReader in) {
        int count = in.count();
        Map<String, Long> seen = new HashMap<>();
        for (int i = 0; i < count; i++) {
            seen.put(in.text(), in.number());
        }
        return seen;
    }
}
