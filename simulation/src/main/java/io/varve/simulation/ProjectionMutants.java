package io.varve.simulation;

import java.util.List;

/** Faults of projections and of their rows. */
final class ProjectionMutants {
    private static final String OFFSET = "io.varve.store.internal.offset.";
    private static final String PROGRESS = "progress.";
    private static final String DELIVERY = "delivery.";
    private static final String ADMISSION = "admission.Admission";

    private ProjectionMutants() {}

    /** All of them. */
    static List<Mutant> all() {
        return List.of(
                Mutants.store(
                        "late-rewind-replaces-rows",
                        OFFSET + "ByHand",
                        ".conditionExpression(IF_EARLIER)",
                        ".conditionExpression(\"attribute_not_exists(nothing) OR epoch < :epoch\")",
                        "a request of a rewind that arrives late takes back what was processed since",
                        20_000),
                Mutants.store(
                        "fence-of-a-row-dropped",
                        OFFSET + "OffsetRows",
                        "+ \" (attribute_not_exists(seq_nr) OR \" + lower + \" OR (expiry <= :now AND ts < :ts))\")",
                        "+ \" attribute_not_exists(nothing)\")",
                        "two instances store the effect of one event",
                        50),
                Mutants.store(
                        "fence-of-an-epoch-dropped",
                        OFFSET + "OffsetRows",
                        "\"(attribute_not_exists(epoch) OR epoch <= :epoch) AND\"",
                        "\"\"",
                        "a slow transaction undoes an offset that was set",
                        20_000),
                Mutants.store(
                        "rows-not-taken-back",
                        OFFSET + "ByHand",
                        "item -> !item.has(OffsetRows.TIMESTAMP) || OffsetRows.timestamp(item) >= from",
                        "item -> item.has(\"nothing\")",
                        "a rewind has no effect",
                        280),
                Mutants.store(
                        "places-of-any-epoch",
                        OFFSET + "SliceRows",
                        "? epoch.getAsLong() < set.epoch()",
                        "? epoch.getAsLong() < 0",
                        "a slow flush undoes a rewind",
                        20_000),
                Mutants.store(
                        "offset-set-again-not-checked",
                        OFFSET + "OffsetRows",
                        "\"attribute_not_exists(epoch) OR epoch <= :epoch\"",
                        "\"attribute_not_exists(epoch) OR epoch >= :epoch\"",
                        "what an instance has passed over is lost when the offset is set back",
                        20_000),
                Mutants.store(
                        "rows-saved-in-any-epoch",
                        OFFSET + "OffsetTable",
                        "return OffsetRows.saved(row).orElse(Long.MAX_VALUE) < set.epoch()",
                        "return OffsetRows.saved(row).orElse(Long.MAX_VALUE) < 0",
                        "at least once, a row that is saved late undoes a rewind",
                        20_000),
                projection(
                        "passed-over-events-forgotten",
                        PROGRESS + "EntityProgress",
                        "return passedOverAfter.isPresent();",
                        "return false;",
                        "what an instance has passed over is lost when the offset is set back",
                        20_000),
                projection(
                        "dropped-event-stands-for-a-row",
                        PROGRESS + "ProjectionProgress",
                        "complete(event, EntityProgress::complete);",
                        "complete(event, EntityProgress::stored);",
                        "what an instance has passed over before an event that the adapter drops is lost",
                        20_000),
                projection(
                        "dropped-events-hide-open-ones",
                        PROGRESS + "ProjectionProgress",
                        "dropped.of(persistenceId -> !entities.hasOpenEvents(persistenceId))",
                        "dropped.of(persistenceId -> true)",
                        "a row says that an event is done which is still under way",
                        180),
                projection(
                        "late-event-does-not-hold-its-place",
                        PROGRESS + "SliceProgress",
                        "return oldest < place.timestamp() ? new SliceOffset(oldest, Map.of(), place.setTo()) : place;",
                        "return place;",
                        "a late event whose handler fails is lost",
                        20_000),
                projection(
                        "place-passes-open-events",
                        PROGRESS + "SliceProgress",
                        "next != null && next.isComplete(); next = open.peek()",
                        "next != null; next = open.peek()",
                        "a place is stored that is ahead of an event under way",
                        50),
                projection(
                        "gap-not-filled",
                        PROGRESS + "EntityProgress",
                        "if (position.sequenceNumber() == number + 1) {",
                        "if (position.sequenceNumber() > number) {",
                        "an event is processed before its predecessor",
                        20_000),
                projection(
                        "predecessor-not-asked-for",
                        ADMISSION,
                        "if (isProcessed(before, floor)) {",
                        "if (isProcessed(before, floor) || floor > 0) {",
                        "after an offset was set, an event is processed without those before it",
                        20_000),
                projection(
                        "floor-not-looked-at",
                        ADMISSION,
                        "stored.position().timestamp() < next.missing().orElseThrow().floor()",
                        "stored.position().timestamp() < 0",
                        "what the offset was set behind is processed",
                        20_000),
                projection(
                        "late-event-not-taken-back",
                        PROGRESS + "OffsetSaver",
                        "if (progress.skipped(slices).isEmpty()) {",
                        "if (progress.skipped(slices).size() >= 0) {",
                        "a node dies with an event that the next start does not read again",
                        20_000),
                projection(
                        "saved-before-processed",
                        PROGRESS + "ProgressStore",
                        "process.get().thenCompose(done -> saver.save(events))",
                        "saver.save(events).thenCompose(done -> process.get())",
                        "at least once, an event whose handler fails is lost",
                        60),
                projection(
                        "rest-of-a-group-forgotten",
                        DELIVERY + "GroupTransactions",
                        "thrown == null ? storeAll(open, storing)",
                        "thrown == null ? CompletableFuture.completedFuture(Done.getInstance())",
                        "of a group of which a part was processed elsewhere, the rest is left out",
                        1_600),
                projection(
                        "lanes-do-not-wait",
                        DELIVERY + "EntityLanes",
                        "before == null ? task.get() : before.thenCompose(ok -> task.get())",
                        "before == null || before != null ? task.get() : before",
                        "two events of an entity are stored at once, and in any order",
                        50));
    }

    private static Mutant projection(String name, String type, String before, String after, String breaks, int within) {
        return new Mutant(name, "projection", "io.varve.projection.internal." + type, before, after, breaks, within);
    }
}
