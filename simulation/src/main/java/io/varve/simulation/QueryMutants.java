package io.varve.simulation;

import static io.varve.simulation.Feature.BIRTHS;
import static io.varve.simulation.Feature.BROKEN_CHAINS;
import static io.varve.simulation.Feature.BURSTS;
import static io.varve.simulation.Feature.CHAINS;
import static io.varve.simulation.Feature.COMPANY;
import static io.varve.simulation.Feature.CONSUMERS_RESTART;
import static io.varve.simulation.Feature.FAR_SLICES;
import static io.varve.simulation.Feature.INDEX_LATE;
import static io.varve.simulation.Feature.INDEX_VERY_LATE;
import static io.varve.simulation.Feature.LATE_STARTS;
import static io.varve.simulation.Feature.LONG_HANDLER_PAUSES;
import static io.varve.simulation.Feature.NODES_DIE;
import static io.varve.simulation.Feature.OFFSETS_SELDOM_STORED;
import static io.varve.simulation.Feature.PROJECTIONS;
import static io.varve.simulation.Feature.PUBLISHED;
import static io.varve.simulation.Feature.QUERIES;
import static io.varve.simulation.Feature.READS_LATE;
import static io.varve.simulation.Feature.SILENCE;
import static io.varve.simulation.Feature.SLOW_HANDLERS;
import static io.varve.simulation.Feature.SLOW_NODES;
import static io.varve.simulation.Feature.TAG_QUERIES;
import static io.varve.simulation.Feature.TAKEOVERS;
import static io.varve.simulation.Mutants.store;

import java.util.List;

/** Faults of the queries by slice and tag. */
final class QueryMutants {
    private static final String SLICE = "io.varve.store.internal.slice.";

    private QueryMutants() {}

    static List<Mutant> all() {
        return List.of(
                store(
                                "no-backtracking",
                                SLICE + "Passes",
                                "trails.forEach(trail -> trail.follow(plain, page.end(), old, now));",
                                "",
                                "an entry that appears behind the plain pass is missed",
                                3_000)
                        .with(QUERIES, INDEX_LATE, SILENCE)
                        .without(PROJECTIONS, CONSUMERS_RESTART, FAR_SLICES, PUBLISHED, NODES_DIE),
                store(
                        "order-not-looked-at",
                        SLICE + "DeliveryRules",
                        "gaps.put(event, last.timestamp());",
                        "continue;",
                        "an event comes before its predecessor",
                        50),
                store(
                        "predecessors-not-looked-at",
                        SLICE + "DeliveryRules",
                        "unknown.add(event);",
                        "continue;",
                        "after a restart an event comes before its predecessor",
                        150),
                store(
                                "parts-of-a-write-by-their-numbers",
                                SLICE + "DeliveryRules",
                                "last != null && last.write().equals(Optional.of(write));",
                                "last != null && last.sequenceNumber() >= write.start()"
                                        + " && last.sequenceNumber() < seen.get(0).sequenceNumber();",
                                "events of a chain that was given up are delivered after one that has taken its numbers",
                                50)
                        .with(QUERIES, CHAINS, BROKEN_CHAINS, COMPANY, TAKEOVERS, INDEX_LATE, PUBLISHED)
                        .without(PROJECTIONS),
                store(
                                "incomplete-writes-delivered",
                                SLICE + "DeliveryRules",
                                "if (!complete) {",
                                "if (complete && !complete) {",
                                "events of a write that was given up are delivered",
                                50)
                        .with(QUERIES, CHAINS, BROKEN_CHAINS, COMPANY)
                        .without(PROJECTIONS),
                store(
                                "no-window",
                                SLICE + "DeliveryRules",
                                "Math.max(0, froms.apply(slice).timestamp() - Microseconds.of(window))",
                                "froms.apply(slice).timestamp()",
                                "a restart misses what was late",
                                70)
                        .with(QUERIES, CONSUMERS_RESTART, INDEX_LATE)
                        .without(PROJECTIONS),
                store(
                                "short-trusted-age",
                                SLICE + "SliceQuerySettings",
                                "orElse(backtrackingWindow)",
                                "orElse(backtrackingBehind)",
                                "without a sweep, predecessors that are late are left out",
                                100)
                        .with(QUERIES, INDEX_VERY_LATE)
                        .without(PROJECTIONS, SILENCE),
                store(
                                "published-events-twice",
                                SLICE + "Shard",
                                "rules.settle(published.events(), !published.old(),",
                                "rules.settle(published.events(), false,",
                                "after a pause published events come twice",
                                1_500)
                        .with(QUERIES, PUBLISHED, LONG_HANDLER_PAUSES, SILENCE, BIRTHS)
                        .without(PROJECTIONS, CONSUMERS_RESTART, NODES_DIE, FAR_SLICES),
                store(
                                "shards-do-not-wait",
                                SLICE + "Merge",
                                "if (shard.isEmpty() && shard.watermark() < timestamp - slack) {",
                                "if (shard.isEmpty() && shard.watermark() < 0) {",
                                "one offset for all shards skips what a slow shard has yet to deliver",
                                200)
                        .with(QUERIES, FAR_SLICES, LATE_STARTS, CONSUMERS_RESTART, SLOW_NODES, BURSTS)
                        .without(PROJECTIONS),
                store(
                                "floors-do-not-wait",
                                SLICE + "WaitingEvents",
                                "left = Math.min(left, more.get(i).timestamp());",
                                "",
                                "a consumer stops within a page, and the rest is missed",
                                1_000)
                        .with(QUERIES, LATE_STARTS, CONSUMERS_RESTART, SLOW_HANDLERS, FAR_SLICES, BIRTHS)
                        .without(
                                PROJECTIONS,
                                TAG_QUERIES,
                                PUBLISHED,
                                LONG_HANDLER_PAUSES,
                                OFFSETS_SELDOM_STORED,
                                NODES_DIE),
                new Mutant(
                                "floor-inferred",
                                "persistence",
                                "io.varve.persistence.internal.query.OffsetStarts",
                                ".orElse(SliceStart.BEGINNING);",
                                ".orElseGet(() -> offsets.asMap().values().stream().map(OffsetStarts::start)"
                                        + ".max(java.util.Comparator.comparingLong(SliceStart::timestamp))"
                                        + ".orElse(SliceStart.BEGINNING));",
                                "a slice without a place begins where others are",
                                100)
                        .with(QUERIES, LATE_STARTS, CONSUMERS_RESTART, SLOW_NODES, FAR_SLICES, READS_LATE)
                        .without(PROJECTIONS, TAG_QUERIES, PUBLISHED, LONG_HANDLER_PAUSES),
                new Mutant(
                                "place-of-all-types",
                                "persistence",
                                "io.varve.persistence.query.SliceOffsets",
                                "public SliceOffsets plus(String entityType, int slice, TimestampOffset offset) {",
                                "public SliceOffsets plus(String type, int slice, TimestampOffset offset) { String entityType = ANY_TYPE;",
                                "one entity type moves the place of another in the same slice",
                                1_000)
                        .with(QUERIES, TAG_QUERIES, LATE_STARTS, CONSUMERS_RESTART, READS_LATE, SLOW_NODES)
                        .without(PROJECTIONS, FAR_SLICES, SILENCE));
    }
}
