package io.varve.simulation;

import java.util.List;
import java.util.stream.Stream;

/** The faults that the simulation must find. */
final class Mutants {
    private static final String REPLAY = "io.varve.store.internal.replay.";
    private static final String APPEND = "io.varve.store.internal.append.";
    private static final String JOURNAL = "io.varve.store.internal.journal.";
    private static final String SLICE = "io.varve.store.internal.slice.";
    private static final String CLIENT = "io.varve.store.internal.client.";

    private Mutants() {}

    static List<Mutant> all() {
        return Stream.of(journal(), queries(), ProjectionMutants.all())
                .flatMap(List::stream)
                .toList();
    }

    static Mutant store(String name, String type, String before, String after, String breaks, int within) {
        return new Mutant(name, "store", type, before, after, breaks, within);
    }

    private static List<Mutant> journal() {
        return List.of(
                store(
                        "marks-before-events",
                        REPLAY + "TailSearch",
                        "return hintPage.thenCompose(page -> markReader.read(scope.persistenceId(), budget))",
                        "return markReader.read(scope.persistenceId(), budget)",
                        "a recovery beside a delete comes out too low",
                        20_000),
                store(
                        "groups-after-the-marks-are-certain",
                        REPLAY + "TailSearch",
                        "return !readAfterMarks;",
                        "return true;",
                        "what was stored and deleted meanwhile in a group that was read after the marks does not count",
                        20_000),
                store(
                        "slow-write-acknowledged",
                        JOURNAL + "OwnHead",
                        "return overtakenBy(persistenceId, head, budget)",
                        "return CompletableFuture.completedFuture(OptionalLong.empty())",
                        "a write that was sent again for long is acknowledged after a takeover",
                        20_000),
                store(
                        "gaps-not-read-again",
                        REPLAY + "CheckedPages",
                        "if (missing == NONE) {",
                        "if (missing > 0) {",
                        "an event that was stored while its page was read is left out",
                        50),
                store(
                        "gap-before-the-rest-of-a-chain",
                        REPLAY + "CheckedPages",
                        "return reached.isAtEnd() ? NONE : reached.next();",
                        "return NONE;",
                        "the last event is left out if what is left of a chain stands behind it",
                        20_000),
                store(
                        "parts-not-read-again",
                        REPLAY + "EntityScan",
                        "return event.batch().flatMap(Event.Batch::id).isPresent() && pages.isOutdated(event);",
                        "return false;",
                        "a chain from an old page hides what has replaced it",
                        20_000),
                store(
                        "low-mark-not-read-for-gaps",
                        REPLAY + "CheckedPages",
                        "if (found.low() > missing) {",
                        "if (found.low() < 0) {",
                        "a history is replayed whose beginning is deleted meanwhile",
                        20_000),
                store(
                        "rejected-numbers-free",
                        APPEND + "FreeNumbers",
                        "return free < 0 || free > MOST ? 0 : (int) free;",
                        "return 0;",
                        "a stale writer's event lands in the number of a rejected one",
                        50),
                store(
                        "takeover-not-looked-for",
                        JOURNAL + "OwnHead",
                        "if (marks.low() > head.sequenceNumber() + 1) {",
                        "if (marks.low() < 0) {",
                        "a writer goes on after another has stored and deleted its next numbers",
                        20_000),
                store(
                        "end-of-a-writer-forgotten",
                        JOURNAL + "OwnHead",
                        "|| entities.isOvertaken(persistenceId, write.writer(), head.sequenceNumber())",
                        "",
                        "a writer goes on from an event that it never saw",
                        1_000),
                store(
                        "condition-of-a-put-dropped",
                        APPEND + "EventWrites",
                        "static PutItemRequest putIfFree(String table, Map<String, AttributeValue> item) {",
                        "static PutItemRequest putIfFree(String table, Map<String, AttributeValue> item) {"
                                + " if (!item.isEmpty()) { return PutItemRequest.builder().tableName(table).item(item).build(); }",
                        "two writers overwrite each other's events",
                        50),
                store(
                        "condition-of-a-transaction-dropped",
                        APPEND + "EventWrites",
                        "static TransactWriteItem transactPutIfFree(String table, Map<String, AttributeValue> item) {",
                        "static TransactWriteItem transactPutIfFree(String table, Map<String, AttributeValue> item) {"
                                + " if (!item.isEmpty()) { return transactPut(table, item); }",
                        "two writers overwrite each other's atomic writes",
                        50),
                store(
                        "chain-not-checked",
                        APPEND + "PortionSender",
                        "begins ? Optional.empty() : Optional.of(EventWrites.checkBatch(table, first))",
                        "Optional.<TransactWriteItem>empty()",
                        "a chain that was given up is acknowledged",
                        200),
                store(
                        "end-of-a-chain-not-checked",
                        REPLAY + "ChainRemover",
                        "List.of(deletion(chain, chain.first()), lastIsMissing)",
                        "List.of(deletion(chain, chain.first()))",
                        "a recovery gives up a chain that is acknowledged",
                        20_000),
                store(
                        "own-write-not-recognized",
                        APPEND + "EventsInTheWay",
                        "if (existing == null || !ours.get(i).isSameAs(existing)) {",
                        "if (i >= 0) {",
                        "a lost answer passes for another writer",
                        50),
                store(
                        "timestamps-of-marks-ignored",
                        REPLAY + "TailSearch",
                        "Math.max(marks.timestamp(), timestamp)",
                        "timestamp",
                        "timestamps go back after a delete",
                        20_000),
                store(
                        "budget-ignored",
                        CLIENT + "Budget",
                        "return Duration.ofNanos(Math.max(0, end - surroundings.nanoTime()));",
                        "return total;",
                        "a write is still retried when Pekko has given up",
                        200),
                store(
                        "unprocessed-keys-ignored",
                        CLIENT + "Batches",
                        "unprocessed == null ? List.of() : unprocessed.keys()",
                        "List.of()",
                        "marks that DynamoDB did not read count as missing",
                        1_000));
    }

    private static List<Mutant> queries() {
        return List.of(
                store(
                        "no-backtracking",
                        SLICE + "Passes",
                        "trails.forEach(trail -> trail.follow(plain, page.end(), old, now));",
                        "",
                        "an entry that appears behind the plain pass is missed",
                        20_000),
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
                        50),
                store(
                        "parts-of-a-write-by-their-numbers",
                        SLICE + "DeliveryRules",
                        "last != null && last.write().equals(Optional.of(write));",
                        "last != null && last.sequenceNumber() >= write.start()"
                                + " && last.sequenceNumber() < seen.get(0).sequenceNumber();",
                        "events of a chain that was given up are delivered after one that has taken its numbers",
                        20_000),
                store(
                        "late-rewind-replaces-rows",
                        "io.varve.store.internal.offset.ByHand",
                        ".conditionExpression(IF_EARLIER)",
                        ".conditionExpression(\"attribute_not_exists(nothing) OR epoch < :epoch\")",
                        "a request of a rewind that arrives late takes back what was processed since",
                        20_000),
                store(
                        "incomplete-writes-delivered",
                        SLICE + "DeliveryRules",
                        "if (!complete) {",
                        "if (complete && !complete) {",
                        "events of a write that was given up are delivered",
                        1_000),
                store(
                        "no-window",
                        SLICE + "DeliveryRules",
                        "Math.max(0, froms.apply(slice).timestamp() - Microseconds.of(window))",
                        "froms.apply(slice).timestamp()",
                        "a restart misses what was late",
                        50),
                store(
                        "short-trusted-age",
                        SLICE + "SliceQuerySettings",
                        "orElse(backtrackingWindow)",
                        "orElse(backtrackingBehind)",
                        "without a sweep, predecessors that are late are left out",
                        200),
                store(
                        "published-events-twice",
                        SLICE + "Shard",
                        "rules.settle(published.events(), !published.old(),",
                        "rules.settle(published.events(), false,",
                        "after a pause published events come twice",
                        20_000),
                store(
                        "shards-do-not-wait",
                        SLICE + "Merge",
                        "if (shard.isEmpty() && shard.watermark() < timestamp - slack) {",
                        "if (shard.isEmpty() && shard.watermark() < 0) {",
                        "one offset for all shards skips what a slow shard has yet to deliver",
                        20_000),
                store(
                        "floors-do-not-wait",
                        SLICE + "WaitingEvents",
                        "left = Math.min(left, more.get(i).timestamp());",
                        "",
                        "a consumer stops within a page, and the rest is missed",
                        20_000),
                new Mutant(
                        "floor-inferred",
                        "persistence",
                        "io.varve.persistence.internal.query.OffsetStarts",
                        ".orElse(SliceStart.BEGINNING);",
                        ".orElseGet(() -> offsets.asMap().values().stream().map(OffsetStarts::start)"
                                + ".max(java.util.Comparator.comparingLong(SliceStart::timestamp))"
                                + ".orElse(SliceStart.BEGINNING));",
                        "a slice without a place begins where others are",
                        20_000),
                new Mutant(
                        "place-of-all-types",
                        "persistence",
                        "io.varve.persistence.query.SliceOffsets",
                        "public SliceOffsets plus(String entityType, int slice, TimestampOffset offset) {",
                        "public SliceOffsets plus(String type, int slice, TimestampOffset offset) { String entityType = ANY_TYPE;",
                        "one entity type moves the place of another in the same slice",
                        20_000));
    }
}
