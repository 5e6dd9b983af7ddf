package io.varve.store.internal.offset;

import java.util.Map;

/** What was set by hand, by slice, as an instance has found it at its start: what it writes carries these epochs. */
public record SetOffsets(Map<Integer, SetOffset> bySlice) {
    /** Nothing was set. */
    public static final SetOffsets NONE = new SetOffsets(Map.of());

    /** Of a slice. */
    public SetOffset of(int slice) {
        return bySlice.getOrDefault(slice, SetOffset.NONE);
    }
}
