package io.varve.projection.internal.progress;

import io.varve.store.VarveException;
import java.util.Arrays;
import java.util.List;

/** Conditions of items that a handler returned did not hold: nothing was stored. */
public final class HandlerConditionException extends VarveException {
    private static final long serialVersionUID = 1L;

    private final int[] items;

    HandlerConditionException(String message, List<Integer> items) {
        super(message);
        this.items = items.stream().mapToInt(item -> item).toArray();
    }

    /** Whether it was one of these items, from an index on and before another one. */
    public boolean isAmong(int from, int to) {
        return Arrays.stream(items).anyMatch(item -> item >= from && item < to);
    }
}
