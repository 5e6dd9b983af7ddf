package io.varve.benchmark.cost;

import io.varve.benchmark.side.MeasuredJvm;
import io.varve.benchmark.side.Side;
import io.varve.store.internal.journal.EventReader;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** The operations of the cost tables in the documentation. Rows build on those before them. */
final class CostRows {
    static final Set<Side> VARVE = EnumSet.of(Side.VARVE, Side.NO_INDEX, Side.MARKED);
    private static final int TEN_KILOBYTES = 10_000;
    private static final int MEGABYTE = 1_000_000;
    /** From this size on Varve has to know how large an item of the table may be; it asks once. */
    private static final int DESCRIBES_THE_TABLE = 250_000;

    private static final int FITS_AN_ITEM = 400_000;
    private static final double MEGABYTE_ITEMS = Math.ceil(MEGABYTE / (400 * 1024.0));
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
                CostRows::oneRead));
        rows.addAll(reads(many));
        rows.add(CostRow.ofJournal(
                "delete %d events".formatted(many),
                CostRows::nothing,
                jvm -> jvm.delete(id("thousand"), many),
                writes(Math.ceil((double) many / BATCH), many)));
        return rows;
    }

    /** Reads of entities that rows before have written. */
    private static List<CostRow> reads(int many) {
        return List.of(
                CostRow.ofJournal(
                        "read %d events with a cursor".formatted(many),
                        CostRows::nothing,
                        jvm -> expect(many, jvm.read(id("thousand"), 1), jvm),
                        reads("thousand")),
                CostRow.ofJournal(
                        "read with a cursor, nothing new",
                        CostRows::nothing,
                        jvm -> expect(0, jvm.read(id("thousand"), many + 1), jvm),
                        CostRows::oneRead),
                CostRow.ofJournal(
                                "last sequence number of %d, read only".formatted(many),
                                CostRows::nothing,
                                jvm -> expect(many, jvm.lastNumber(id("thousand")), jvm),
                                CostRows::oneRead)
                        .only(VARVE),
                CostRow.ofJournal("one event", CostRows::nothing, loadEvent("one"), CostRows::oneRead)
                        .only(VARVE),
                CostRow.ofJournal(
                                "one event of a persistAll of 10",
                                CostRows::nothing,
                                loadEvent("ten"),
                                CostRows::oneRead)
                        .only(VARVE),
                CostRow.ofJournal(
                                "one event of a persistAll of 150",
                                CostRows::nothing,
                                loadEvent("many"),
                                CostRows::oneRead)
                        .only(VARVE),
                CostRow.ofReader("the 50 events before another", CostRows::readFiftyBefore, reads("fifty")));
    }

    private static void readFiftyBefore(EventReader reader) {
        int found =
                reader.before(id("fifty"), 51, 0).toCompletableFuture().join().size();
        if (found != 50) {
            throw new IllegalStateException("Found %d events before the next one".formatted(found));
        }
    }

    static List<CostRow> snapshots() {
        List<CostRow> rows = new ArrayList<>();
        rows.add(CostRow.ofSnapshots(
                "save a snapshot of 10 KB",
                CostRows::nothing,
                save("small", 1, TEN_KILOBYTES),
                writes(1, writeUnits(TEN_KILOBYTES))));
        rows.add(CostRow.ofSnapshots(
                "load a snapshot of 10 KB", CostRows::nothing, load("small"), reads(1, TEN_KILOBYTES)));
        rows.add(loadWithTimeBound());
        rows.add(CostRow.ofSnapshots(
                "delete a snapshot of 10 KB",
                CostRows::nothing,
                jvm -> jvm.deleteSnapshot(id("small"), 1),
                writes(1, writeUnits(TEN_KILOBYTES))));
        rows.add(CostRow.ofSnapshots(
                "delete 3 of 10 KB by criteria",
                save("three", 1, TEN_KILOBYTES)
                        .andThen(save("three", 2, TEN_KILOBYTES))
                        .andThen(save("three", 3, TEN_KILOBYTES)),
                jvm -> jvm.deleteSnapshots(id("three"), 3),
                (bytes, tables) -> new Spent(2, 3 * writeUnits(TEN_KILOBYTES), 1)));
        rows.addAll(largeSnapshots());
        rows.add(CostRow.ofBoth(
                "a cycle of retention",
                jvm -> {
                    jvm.recover(List.of(id("retention")));
                    LongStream.of(5, 10, 15).forEach(last -> retain(jvm, id("retention"), last));
                },
                jvm -> retain(jvm, id("retention"), 20),
                (bytes, tables) -> new Spent(9, 2 * (5 + writeUnits(TEN_KILOBYTES)), 1)));
        return rows;
    }

    /** The newest of three is too new. */
    private static CostRow loadWithTimeBound() {
        AtomicLong bound = new AtomicLong();
        return CostRow.ofSnapshots(
                "load one of 10 KB with a time bound",
                jvm -> {
                    bound.set(saveAfter(saveAfter(0, jvm, 1), jvm, 2));
                    saveAfter(bound.get(), jvm, 3);
                },
                jvm -> expect(2, jvm.loadSnapshot(id("times"), bound.get()), jvm),
                reads(1, TEN_KILOBYTES));
    }

    /** Saves a snapshot until it is newer than another: each replaces the one before. */
    private static long saveAfter(long timestamp, MeasuredJvm jvm, long number) {
        long saved = jvm.saveSnapshot(id("times"), number, TEN_KILOBYTES);
        return saved > timestamp ? saved : saveAfter(timestamp, jvm, number);
    }

    /** Too large for the predecessor: the copy in its index counts against the limit of an item. */
    private static List<CostRow> largeSnapshots() {
        return Stream.of(
                        CostRow.ofSnapshots(
                                "save a snapshot of 400 KB",
                                save("first-use", 1, DESCRIBES_THE_TABLE),
                                save("item", 1, FITS_AN_ITEM),
                                writes(1, writeUnits(FITS_AN_ITEM))),
                        CostRow.ofSnapshots(
                                "save a snapshot of 1 MB",
                                CostRows::nothing,
                                save("large", 1, MEGABYTE),
                                writes(MEGABYTE_ITEMS, writeUnits(MEGABYTE))),
                        CostRow.ofSnapshots(
                                "save one of 1 MB, another is kept",
                                CostRows::nothing,
                                save("large", 2, MEGABYTE),
                                writes(MEGABYTE_ITEMS, writeUnits(MEGABYTE))),
                        CostRow.ofSnapshots(
                                "load a snapshot of 1 MB", CostRows::nothing, load("large"), reads(1, MEGABYTE)),
                        CostRow.ofSnapshots(
                                "delete a snapshot of 1 MB",
                                save("alone", 1, MEGABYTE),
                                jvm -> jvm.deleteSnapshot(id("alone"), 1),
                                writes(1, writeUnits(MEGABYTE))))
                .map(row -> row.only(VARVE))
                .toList();
    }

    /**
     * What the plugins hear from a typed behaviour with {@code snapshotEvery(5, 2).withDeleteEventsOnSnapshot()}, which itself is
     * not on the predecessor's class path.
     */
    private static void retain(MeasuredJvm jvm, String id, long last) {
        jvm.persist(List.of(id), 5, 1);
        jvm.saveSnapshot(id, last, TEN_KILOBYTES);
        long deleted = last - 2 * 5;
        if (deleted > 0) {
            jvm.delete(id, deleted);
            jvm.deleteSnapshots(id, deleted - 1);
        }
    }

    private static double writeUnits(int bytes) {
        return Math.ceil(bytes / 1024.0);
    }

    private static BiFunction<StoredBytes, Side.Tables, Spent> reads(double requests, int bytes) {
        return (stored, tables) -> Spent.reading(requests, Math.ceil(bytes / 4096.0));
    }

    private static Spent oneRead(StoredBytes bytes, Side.Tables tables) {
        return Spent.reading(1, 1);
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

    private static Consumer<MeasuredJvm> load(String entity) {
        return jvm -> jvm.loadSnapshot(id(entity), Long.MAX_VALUE);
    }

    /** An event after the first five, with which an entity was started. */
    private static Consumer<MeasuredJvm> loadEvent(String entity) {
        return jvm -> jvm.loadEvent(id(entity), 6);
    }

    private static BiFunction<StoredBytes, Side.Tables, Spent> writes(double requests, double units) {
        return (bytes, tables) -> Spent.writing(requests, units);
    }

    private static BiFunction<StoredBytes, Side.Tables, Spent> reads(String entity) {
        return (bytes, tables) -> Spent.reading(1, bytes.readUnits(tables.journal(), "journal-P-" + id(entity) + "-"));
    }

    private static void expect(long expected, long found, MeasuredJvm jvm) {
        if (found != expected) {
            throw new IllegalStateException(
                    "%s found %d instead of %d".formatted(jvm.side().title(), found, expected));
        }
    }
}
