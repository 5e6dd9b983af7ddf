package io.varve.benchmark.cost;

import io.varve.benchmark.side.MeasuredJvm;
import io.varve.benchmark.side.Side;
import io.varve.store.internal.journal.EventReader;
import io.varve.testkit.RequestLog;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/**
 * One operation whose cost is measured.
 *
 * @param counted which requests count
 * @param sides which sides can do it
 * @param prepare what must be there before
 * @param action what is counted
 * @param limit what the bytes must cost, without marks and transactions
 */
record CostRow(
        String operation,
        Counted counted,
        Set<Side> sides,
        Consumer<MeasuredJvm> prepare,
        BiConsumer<MeasuredJvm, EventReader> action,
        BiFunction<StoredBytes, Side.Tables, Spent> limit) {

    /** The tables whose requests count. */
    enum Counted {
        JOURNAL,
        SNAPSHOTS,
        BOTH;

        RequestLog of(RequestLog log, Side.Tables tables) {
            return switch (this) {
                case JOURNAL -> log.table(tables.journal());
                case SNAPSHOTS -> log.table(tables.snapshots());
                case BOTH -> log;
            };
        }
    }

    static CostRow ofJournal(
            String operation,
            Consumer<MeasuredJvm> prepare,
            Consumer<MeasuredJvm> action,
            BiFunction<StoredBytes, Side.Tables, Spent> limit) {
        return of(operation, Counted.JOURNAL, prepare, action, limit);
    }

    static CostRow ofSnapshots(
            String operation,
            Consumer<MeasuredJvm> prepare,
            Consumer<MeasuredJvm> action,
            BiFunction<StoredBytes, Side.Tables, Spent> limit) {
        return of(operation, Counted.SNAPSHOTS, prepare, action, limit);
    }

    static CostRow ofBoth(
            String operation,
            Consumer<MeasuredJvm> prepare,
            Consumer<MeasuredJvm> action,
            BiFunction<StoredBytes, Side.Tables, Spent> limit) {
        return of(operation, Counted.BOTH, prepare, action, limit);
    }

    /** What Varve's store does inside of other operations, and no plugin offers by itself. */
    static CostRow ofReader(
            String operation, Consumer<EventReader> action, BiFunction<StoredBytes, Side.Tables, Spent> limit) {
        return new CostRow(
                operation, Counted.JOURNAL, CostRows.VARVE, jvm -> {}, (jvm, reader) -> action.accept(reader), limit);
    }

    private static CostRow of(
            String operation,
            Counted counted,
            Consumer<MeasuredJvm> prepare,
            Consumer<MeasuredJvm> action,
            BiFunction<StoredBytes, Side.Tables, Spent> limit) {
        return new CostRow(operation, counted, CostBench.SIDES, prepare, (jvm, reader) -> action.accept(jvm), limit);
    }

    CostRow only(Set<Side> some) {
        return new CostRow(operation, counted, some, prepare, action, limit);
    }
}
