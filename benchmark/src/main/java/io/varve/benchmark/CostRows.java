package io.varve.benchmark;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/** The operations of the cost tables in the documentation. Rows build on those before them. */
final class CostRows {
    private static final Set<Side> VARVE = EnumSet.of(Side.VARVE, Side.NO_INDEX, Side.MARKED);
    private static final int TEN_KILOBYTES = 10_000;
    private static final int MEGABYTE = 1_000_000;
    private static final int LARGEST_ITEM = 400 * 1024;
    private static final int BATCH = 25;

    private CostRows() {}

    static List<CostRow> journal(int many) {
        List<CostRow> rows = new ArrayList<>();
        rows.add(CostRow.ofJournal("persist 1", started("one", 5), persist("one", 1), writes(1, 1)));
        rows.add(CostRow.ofJournal(
                "persist 1 at the start of a group", startedByBatch("group", 99), persist("group", 1), writes(1, 1)));
        rows.add(CostRow.ofJournal(
                        "the first tagged event of a type",
                        jvm -> jvm.recover(List.of("tagged|1")),
                        jvm -> jvm.persistTagged("tagged|1"),
                        writes(1, 1))
                .only(VARVE));
        rows.add(CostRow.ofJournal("persistAll of 10", started("ten", 5), persist("ten", 10), writes(1, 10)));
        rows.add(CostRow.ofJournal(
                "persistAll of 150", started("many", 5), persist("many", 150), writes(150 / BATCH, 150)));
        rows.add(CostRow.ofJournal("recover a new entity", CostRows::nothing, recover("new", 0), reads("new")));
        rows.add(CostRow.ofJournal("recover 50 events", stored("fifty", 50), recover("fifty", 50), reads("fifty")));
        rows.add(CostRow.ofJournal(
                "recover %d events".formatted(many),
                stored("thousand", many),
                recover("thousand", many),
                reads("thousand")));
        rows.add(CostRow.ofJournal(
                "recover, the snapshot at the head",
                startedByBatch("head", 150).andThen(jvm -> {
                    jvm.stop(List.of(id("head")));
                    jvm.saveSnapshot(id("head"), 150, TEN_KILOBYTES);
                }),
                jvm -> jvm.recoverWithSnapshots(id("head")),
                (bytes, tables) -> Spent.reading(1, 1)));
        rows.add(CostRow.ofJournal(
                "query %d events of an entity".formatted(many),
                CostRows::nothing,
                jvm -> expect(many, jvm.read(id("thousand"), many).getLong("events"), jvm),
                reads("thousand")));
        rows.add(CostRow.ofJournal(
                "delete %d events".formatted(many),
                CostRows::nothing,
                jvm -> jvm.delete(id("thousand"), many),
                writes(Math.ceil((double) many / BATCH), many)));
        return rows;
    }

    static List<CostRow> snapshots() {
        return List.of(
                CostRow.ofSnapshots(
                        "save a snapshot of 10 KB",
                        CostRows::nothing,
                        save("small", 1, TEN_KILOBYTES),
                        writes(1, writeUnits(TEN_KILOBYTES))),
                CostRow.ofSnapshots(
                        "load a snapshot of 10 KB",
                        CostRows::nothing,
                        snapshot("loadSnapshot", "small", 1),
                        reads(1, TEN_KILOBYTES)),
                CostRow.ofSnapshots(
                        "delete a snapshot of 10 KB",
                        CostRows::nothing,
                        snapshot("deleteSnapshot", "small", 1),
                        writes(1, writeUnits(TEN_KILOBYTES))),
                CostRow.ofSnapshots(
                        "delete 3 of 10 KB by criteria",
                        save("three", 1, TEN_KILOBYTES)
                                .andThen(save("three", 2, TEN_KILOBYTES))
                                .andThen(save("three", 3, TEN_KILOBYTES)),
                        snapshot("deleteSnapshots", "three", 3),
                        (bytes, tables) -> new Spent(2, 3 * writeUnits(TEN_KILOBYTES), 1)),
                CostRow.ofSnapshots(
                                "save a snapshot of 1 MB",
                                CostRows::nothing,
                                save("large", 1, MEGABYTE),
                                writes(Math.ceil((double) MEGABYTE / LARGEST_ITEM), writeUnits(MEGABYTE)))
                        .only(VARVE),
                CostRow.ofSnapshots(
                                "load a snapshot of 1 MB",
                                CostRows::nothing,
                                snapshot("loadSnapshot", "large", 1),
                                reads(1, MEGABYTE))
                        .only(VARVE));
    }

    private static double writeUnits(int bytes) {
        return Math.ceil(bytes / 1024.0);
    }

    private static BiFunction<StoredBytes, Side.Tables, Spent> reads(double requests, int bytes) {
        return (stored, tables) -> Spent.reading(requests, Math.ceil(bytes / 4096.0));
    }

    private static void nothing(MeasuredJvm jvm) {}

    static String id(String entity) {
        return "bench|" + entity;
    }

    private static Consumer<MeasuredJvm> started(String entity, int events) {
        return jvm -> {
            jvm.recover(List.of(id(entity)));
            jvm.persist(List.of(id(entity)), events, 1);
        };
    }

    /** Quicker, where the size of the items does not matter. */
    private static Consumer<MeasuredJvm> startedByBatch(String entity, int events) {
        return jvm -> {
            jvm.recover(List.of(id(entity)));
            jvm.persist(List.of(id(entity)), 1, events);
        };
    }

    private static Consumer<MeasuredJvm> stored(String entity, int events) {
        return started(entity, events).andThen(jvm -> jvm.stop(List.of(id(entity))));
    }

    private static Consumer<MeasuredJvm> persist(String entity, int batch) {
        return jvm -> jvm.persist(List.of(id(entity)), 1, batch);
    }

    private static Consumer<MeasuredJvm> recover(String entity, int events) {
        return jvm -> expect(events, jvm.recover(List.of(id(entity))).getLong("events"), jvm);
    }

    private static Consumer<MeasuredJvm> save(String entity, long number, int bytes) {
        return jvm -> jvm.saveSnapshot(id(entity), number, bytes);
    }

    private static Consumer<MeasuredJvm> snapshot(String command, String entity, long number) {
        return jvm -> jvm.snapshot(command, id(entity), number);
    }

    private static BiFunction<StoredBytes, Side.Tables, Spent> writes(double requests, double units) {
        return (bytes, tables) -> Spent.writing(requests, units);
    }

    private static BiFunction<StoredBytes, Side.Tables, Spent> reads(String entity) {
        return (bytes, tables) -> Spent.reading(1, bytes.readUnits(tables.journal(), "journal-P-" + id(entity) + "-"));
    }

    private static void expect(long expected, long events, MeasuredJvm jvm) {
        if (events != expected) {
            throw new IllegalStateException(
                    "%s found %d of %d events".formatted(jvm.side().title(), events, expected));
        }
    }
}
