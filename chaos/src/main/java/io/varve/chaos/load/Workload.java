package io.varve.chaos.load;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * What the clients do; whatever is not an atomic write is a transfer.
 *
 * @param clients how many there are
 * @param atomicShare which part of the operations is an atomic write
 * @param atomicEvents how many events that has, 2 or more
 */
public record Workload(int clients, double atomicShare, int atomicEvents) {
    /** Something comes in, goes out again, and the rest is ones, so that it is never refused. */
    List<Long> atomicAmounts(long amount) {
        List<Long> amounts = new ArrayList<>(List.of(amount, -amount));
        amounts.addAll(Collections.nCopies(atomicEvents - 2, 1L));
        return amounts;
    }
}
