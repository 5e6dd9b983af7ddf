package io.varve.simulation;

import static io.varve.simulation.Feature.AT_LEAST_ONCE;
import static io.varve.simulation.Feature.BATCHES;
import static io.varve.simulation.Feature.BIRTHS;
import static io.varve.simulation.Feature.BURSTS;
import static io.varve.simulation.Feature.CONSUMERS_RESTART;
import static io.varve.simulation.Feature.EVENTS_DROPPED;
import static io.varve.simulation.Feature.FAR_SLICES;
import static io.varve.simulation.Feature.GROUPS;
import static io.varve.simulation.Feature.GROUP_COMMIT;
import static io.varve.simulation.Feature.HANDLERS_FAIL;
import static io.varve.simulation.Feature.INDEX_LATE_FOR_A_RESTART;
import static io.varve.simulation.Feature.INDEX_TOO_LATE;
import static io.varve.simulation.Feature.LATE_EVENTS_BROKEN_OFF;
import static io.varve.simulation.Feature.LATE_STARTS;
import static io.varve.simulation.Feature.NODES_DIE;
import static io.varve.simulation.Feature.OFFSETS_SET;
import static io.varve.simulation.Feature.OFFSETS_SET_BACK;
import static io.varve.simulation.Feature.OLD_INSTANCES_RUN_ON;
import static io.varve.simulation.Feature.ONE_SLICE;
import static io.varve.simulation.Feature.PROJECTIONS;
import static io.varve.simulation.Feature.PUBLISHED;
import static io.varve.simulation.Feature.QUERIES;
import static io.varve.simulation.Feature.REJECTIONS;
import static io.varve.simulation.Feature.SILENCE;
import static io.varve.simulation.Feature.SLOW_NODES;
import static io.varve.simulation.Feature.STOPS_BEFORE_A_SET;
import static io.varve.simulation.Feature.TIME_TO_LIVE;
import static io.varve.simulation.Feature.WRITES_LATE;

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
                                5_000)
                        .with(PROJECTIONS, OFFSETS_SET, CONSUMERS_RESTART, WRITES_LATE, SILENCE)
                        .without(QUERIES, AT_LEAST_ONCE, TIME_TO_LIVE, FAR_SLICES),
                Mutants.store(
                                "fence-of-a-row-dropped",
                                OFFSET + "OffsetRows",
                                "+ \" (attribute_not_exists(seq_nr) OR \" + lower + \" OR (expiry <= :now AND ts < :ts))\")",
                                "+ \" attribute_not_exists(nothing)\")",
                                "two instances store the effect of one event",
                                50)
                        .with(PROJECTIONS, CONSUMERS_RESTART, OLD_INSTANCES_RUN_ON)
                        .without(QUERIES, AT_LEAST_ONCE),
                Mutants.store(
                                "fence-of-an-epoch-dropped",
                                OFFSET + "OffsetRows",
                                "\"(attribute_not_exists(epoch) OR epoch <= :epoch) AND\"",
                                "\"\"",
                                "a slow transaction undoes an offset that was set",
                                50)
                        .with(PROJECTIONS, OFFSETS_SET, OLD_INSTANCES_RUN_ON, PUBLISHED, SLOW_NODES, BURSTS)
                        .without(QUERIES, AT_LEAST_ONCE, TIME_TO_LIVE, FAR_SLICES, SILENCE),
                Mutants.store(
                                "rows-not-taken-back",
                                OFFSET + "ByHand",
                                "item -> !item.has(OffsetRows.TIMESTAMP) || OffsetRows.timestamp(item) >= from",
                                "item -> item.has(\"nothing\")",
                                "a rewind has no effect",
                                100)
                        .with(PROJECTIONS, OFFSETS_SET)
                        .without(QUERIES, TIME_TO_LIVE),
                Mutants.store(
                                "places-of-any-epoch",
                                OFFSET + "SliceRows",
                                "? epoch.getAsLong() < set.epoch()",
                                "? epoch.getAsLong() < 0",
                                "a slow flush undoes a rewind",
                                50)
                        .with(PROJECTIONS, OFFSETS_SET, OFFSETS_SET_BACK, SLOW_NODES, PUBLISHED)
                        .without(QUERIES, TIME_TO_LIVE, FAR_SLICES),
                Mutants.store(
                                "offset-set-again-not-checked",
                                OFFSET + "OffsetRows",
                                "\"attribute_not_exists(epoch) OR epoch <= :epoch\"",
                                "\"attribute_not_exists(epoch) OR epoch >= :epoch\"",
                                "what an instance has passed over is lost when the offset is set back",
                                50)
                        .with(PROJECTIONS, OFFSETS_SET, OFFSETS_SET_BACK, STOPS_BEFORE_A_SET, PUBLISHED)
                        .without(QUERIES, AT_LEAST_ONCE, TIME_TO_LIVE, FAR_SLICES),
                Mutants.store(
                                "rows-saved-in-any-epoch",
                                OFFSET + "OffsetTable",
                                "return OffsetRows.saved(row).orElse(Long.MAX_VALUE) < set.epoch()",
                                "return OffsetRows.saved(row).orElse(Long.MAX_VALUE) < 0",
                                "at least once, a row that is saved late undoes a rewind",
                                50)
                        .with(
                                PROJECTIONS,
                                AT_LEAST_ONCE,
                                OFFSETS_SET,
                                OLD_INSTANCES_RUN_ON,
                                PUBLISHED,
                                SLOW_NODES,
                                BURSTS)
                        .without(QUERIES, TIME_TO_LIVE, FAR_SLICES, SILENCE),
                projection(
                                "passed-over-events-forgotten",
                                PROGRESS + "EntityProgress",
                                "return passedOverAfter.isPresent();",
                                "return false;",
                                "what an instance has passed over is lost when the offset is set back",
                                50)
                        .with(PROJECTIONS, OFFSETS_SET, OFFSETS_SET_BACK, STOPS_BEFORE_A_SET, PUBLISHED)
                        .without(
                                QUERIES,
                                AT_LEAST_ONCE,
                                TIME_TO_LIVE,
                                FAR_SLICES,
                                INDEX_LATE_FOR_A_RESTART,
                                GROUP_COMMIT),
                projection(
                                "dropped-event-stands-for-a-row",
                                PROGRESS + "StreamProgress",
                                "complete(event, EntityProgress::complete);",
                                "complete(event, EntityProgress::stored);",
                                "what an instance has passed over before an event that the adapter drops is lost",
                                1_500)
                        .with(
                                PROJECTIONS,
                                OFFSETS_SET,
                                OFFSETS_SET_BACK,
                                STOPS_BEFORE_A_SET,
                                EVENTS_DROPPED,
                                PUBLISHED,
                                BATCHES,
                                BURSTS,
                                SLOW_NODES)
                        .without(QUERIES, AT_LEAST_ONCE, TIME_TO_LIVE, FAR_SLICES),
                projection(
                                "dropped-events-hide-open-ones",
                                PROGRESS + "StreamProgress",
                                "dropped.of(persistenceId -> !entities.hasOpenEvents(persistenceId))",
                                "dropped.of(persistenceId -> true)",
                                "a row says that an event is done which is still under way",
                                50)
                        .with(PROJECTIONS, EVENTS_DROPPED, CONSUMERS_RESTART)
                        .without(QUERIES),
                ofLateEvents(projection(
                        "late-event-does-not-hold-its-place",
                        PROGRESS + "SliceProgress",
                        "return oldest < place.timestamp() ? new SliceOffset(oldest, Map.of(), place.setTo()) : place;",
                        "return place;",
                        "a late event whose handler fails is lost",
                        1_500)),
                projection(
                                "place-passes-open-events",
                                PROGRESS + "SliceProgress",
                                "next != null && next.isComplete(); next = open.peek()",
                                "next != null; next = open.peek()",
                                "a place is stored that is ahead of an event under way",
                                50)
                        .with(PROJECTIONS, CONSUMERS_RESTART)
                        .without(QUERIES),
                projection(
                                "gap-not-filled",
                                PROGRESS + "EntityProgress",
                                "if (position.sequenceNumber() == next) {",
                                "if (position.sequenceNumber() > number) {",
                                "an event is processed before its predecessor",
                                50)
                        .with(PROJECTIONS, INDEX_TOO_LATE, LATE_STARTS)
                        .without(QUERIES, PUBLISHED, OFFSETS_SET, TIME_TO_LIVE),
                projection(
                                "predecessor-not-asked-for",
                                ADMISSION,
                                "&& isProcessed(before, floor)) {",
                                "&& (isProcessed(before, floor) || floor > 0)) {",
                                "after an offset was set, an event is processed without those before it",
                                500)
                        .with(PROJECTIONS, INDEX_TOO_LATE, OFFSETS_SET, BIRTHS)
                        .without(QUERIES, PUBLISHED, TIME_TO_LIVE, FAR_SLICES),
                projection(
                                "floor-not-looked-at",
                                ADMISSION,
                                "stored.position().timestamp() < next.missing().orElseThrow().floor()",
                                "stored.position().timestamp() < 0",
                                "what the offset was set behind is processed",
                                50)
                        .with(PROJECTIONS, OFFSETS_SET, OFFSETS_SET_BACK, REJECTIONS)
                        .without(QUERIES, TIME_TO_LIVE, FAR_SLICES),
                ofLateEvents(projection(
                        "late-event-not-taken-back",
                        PROGRESS + "OffsetSaver",
                        "if (progress.skipped(slices).isEmpty()) {",
                        "if (progress.skipped(slices).size() >= 0) {",
                        "a node dies with an event that the next start does not read again",
                        1_500)),
                projection(
                                "saved-before-processed",
                                PROGRESS + "ProgressStore",
                                "process.get().thenCompose(done -> {",
                                "saver.save(events).thenCompose(before -> process.get()).thenCompose(done -> {",
                                "at least once, an event whose handler fails is lost",
                                50)
                        .with(PROJECTIONS, AT_LEAST_ONCE, HANDLERS_FAIL)
                        .without(QUERIES),
                projection(
                                "rest-of-a-group-forgotten",
                                DELIVERY + "GroupTransactions",
                                "thrown == null ? storeAll(open, storing)",
                                "thrown == null ? CompletableFuture.completedFuture(Done.getInstance())",
                                "of a group of which a part was processed elsewhere, the rest is left out",
                                50)
                        .with(PROJECTIONS, GROUPS, CONSUMERS_RESTART, OLD_INSTANCES_RUN_ON, BURSTS)
                        .without(QUERIES, AT_LEAST_ONCE),
                projection(
                                "lanes-do-not-wait",
                                DELIVERY + "EntityLanes",
                                "before == null ? task.get() : before.thenCompose(ok -> task.get())",
                                "before == null || before != null ? task.get() : before",
                                "two events of an entity are stored at once, and in any order",
                                50)
                        .with(PROJECTIONS, BURSTS)
                        .without(QUERIES, AT_LEAST_ONCE, GROUPS),
                projection(
                                "commit-acknowledged-early",
                                DELIVERY + "GroupCommit",
                                "drain.run(); return one.result();",
                                "drain.run(); return CompletableFuture.completedFuture(Done.getInstance());",
                                "an event is stored before its predecessor, which then counts as stored elsewhere",
                                50)
                        .with(PROJECTIONS, GROUP_COMMIT, BURSTS)
                        .without(QUERIES, AT_LEAST_ONCE, GROUPS),
                projection(
                                "rest-of-a-commit-forgotten",
                                DELIVERY + "GroupCommit",
                                "stored.forEach(event -> of(event).result().complete(Done.getInstance())); return stored;",
                                "part.forEach(event -> of(event).result().complete(Done.getInstance())); return stored;",
                                "while a part of a commit is stored again, the next event of its entity passes it",
                                1_500)
                        .with(PROJECTIONS, GROUP_COMMIT, CONSUMERS_RESTART, OLD_INSTANCES_RUN_ON, BURSTS)
                        .without(QUERIES, AT_LEAST_ONCE, GROUPS));
    }

    /** Found where a node dies with an event that only the sweep brings, of an entity that is silent, in a slice where others go on. */
    private static Mutant ofLateEvents(Mutant mutant) {
        return mutant.with(
                        PROJECTIONS,
                        AT_LEAST_ONCE,
                        INDEX_LATE_FOR_A_RESTART,
                        SILENCE,
                        BIRTHS,
                        ONE_SLICE,
                        LATE_EVENTS_BROKEN_OFF)
                .without(
                        QUERIES,
                        PUBLISHED,
                        FAR_SLICES,
                        OFFSETS_SET,
                        TIME_TO_LIVE,
                        HANDLERS_FAIL,
                        NODES_DIE,
                        CONSUMERS_RESTART,
                        INDEX_TOO_LATE);
    }

    private static Mutant projection(String name, String type, String before, String after, String breaks, int within) {
        return new Mutant(name, "projection", "io.varve.projection.internal." + type, before, after, breaks, within);
    }
}
