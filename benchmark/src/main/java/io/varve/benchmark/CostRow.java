package io.varve.benchmark;

import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/**
 * One operation whose cost is measured.
 *
 * @param ofSnapshots whether the requests to the snapshot table count, or those to the journal's
 * @param sides which sides can do it
 * @param prepare what must be there before
 * @param action what is counted
 * @param limit what the bytes must cost, without marks and transactions
 */
record CostRow(
        String operation,
        boolean ofSnapshots,
        Set<Side> sides,
        Consumer<MeasuredJvm> prepare,
        Consumer<MeasuredJvm> action,
        BiFunction<StoredBytes, Side.Tables, Spent> limit) {

    static CostRow ofJournal(
            String operation,
            Consumer<MeasuredJvm> prepare,
            Consumer<MeasuredJvm> action,
            BiFunction<StoredBytes, Side.Tables, Spent> limit) {
        return new CostRow(operation, false, CostBench.SIDES, prepare, action, limit);
    }

    static CostRow ofSnapshots(
            String operation,
            Consumer<MeasuredJvm> prepare,
            Consumer<MeasuredJvm> action,
            BiFunction<StoredBytes, Side.Tables, Spent> limit) {
        return new CostRow(operation, true, CostBench.SIDES, prepare, action, limit);
    }

    CostRow only(Set<Side> some) {
        return new CostRow(operation, ofSnapshots, some, prepare, action, limit);
    }
}
