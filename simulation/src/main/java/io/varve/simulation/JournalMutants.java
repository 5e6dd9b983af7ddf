package io.varve.simulation;

import static io.varve.simulation.Feature.BATCHES;
import static io.varve.simulation.Feature.BROKEN_CHAINS;
import static io.varve.simulation.Feature.BURSTS;
import static io.varve.simulation.Feature.CHAINS;
import static io.varve.simulation.Feature.CLOCKS_SET;
import static io.varve.simulation.Feature.COMPANY;
import static io.varve.simulation.Feature.DELETES;
import static io.varve.simulation.Feature.GROUP_BORDERS;
import static io.varve.simulation.Feature.LONG_PAUSES;
import static io.varve.simulation.Feature.MOVES;
import static io.varve.simulation.Feature.NODES_CUT_OFF;
import static io.varve.simulation.Feature.NODES_DIE;
import static io.varve.simulation.Feature.NO_HINT;
import static io.varve.simulation.Feature.PAGES_TORN;
import static io.varve.simulation.Feature.PROJECTIONS;
import static io.varve.simulation.Feature.QUERIES;
import static io.varve.simulation.Feature.READS_LATE;
import static io.varve.simulation.Feature.RECOVERIES_BESIDE_DELETES;
import static io.varve.simulation.Feature.REJECTIONS;
import static io.varve.simulation.Feature.SECOND_INSTANCES;
import static io.varve.simulation.Feature.SILENCE;
import static io.varve.simulation.Feature.SNAPSHOTS;
import static io.varve.simulation.Feature.STOPS_AFTER_A_DELETE;
import static io.varve.simulation.Feature.TAKEOVERS;
import static io.varve.simulation.Feature.THROTTLING;
import static io.varve.simulation.Feature.UNPROCESSED;
import static io.varve.simulation.Feature.VISITS;
import static io.varve.simulation.Mutants.store;

import java.util.List;

/** Faults of the journal, snapshots and of the way to DynamoDB. */
final class JournalMutants {
    private static final String REPLAY = "io.varve.store.internal.replay.";
    private static final String APPEND = "io.varve.store.internal.append.";
    private static final String JOURNAL = "io.varve.store.internal.journal.";
    private static final String CLIENT = "io.varve.store.internal.client.";

    private JournalMutants() {}

    static List<Mutant> all() {
        return List.of(
                store(
                                "marks-before-events",
                                REPLAY + "TailSearch",
                                "return hintPage.thenCompose(page -> markReader.read(scope.persistenceId(), budget))",
                                "return markReader.read(scope.persistenceId(), budget)",
                                "a recovery beside a delete comes out too low",
                                500)
                        .with(SNAPSHOTS, DELETES, STOPS_AFTER_A_DELETE, RECOVERIES_BESIDE_DELETES, NO_HINT, READS_LATE)
                        .without(QUERIES, PROJECTIONS, SECOND_INSTANCES),
                store(
                                "groups-after-the-marks-are-certain",
                                REPLAY + "TailSearch",
                                "return !readAfterMarks;",
                                "return true;",
                                "what was stored and deleted meanwhile in a group that was read after the marks does not count",
                                50)
                        .with(
                                SNAPSHOTS,
                                DELETES,
                                STOPS_AFTER_A_DELETE,
                                RECOVERIES_BESIDE_DELETES,
                                NO_HINT,
                                READS_LATE,
                                GROUP_BORDERS,
                                CHAINS)
                        .without(QUERIES, PROJECTIONS, SECOND_INSTANCES),
                store(
                                "slow-write-acknowledged",
                                JOURNAL + "OwnHead",
                                "return overtakenBy(persistenceId, head, budget)",
                                "return CompletableFuture.completedFuture(OptionalLong.empty())",
                                "a write that was sent again for long is acknowledged after a takeover",
                                1_500)
                        .with(NODES_CUT_OFF, COMPANY, TAKEOVERS, SNAPSHOTS, DELETES)
                        .without(
                                QUERIES,
                                PROJECTIONS,
                                SECOND_INSTANCES,
                                RECOVERIES_BESIDE_DELETES,
                                VISITS,
                                LONG_PAUSES,
                                BURSTS,
                                BATCHES,
                                CHAINS,
                                GROUP_BORDERS,
                                SILENCE,
                                NODES_DIE,
                                MOVES,
                                REJECTIONS),
                store(
                        "gaps-not-read-again",
                        REPLAY + "CheckedPages",
                        "if (missing == NONE) {",
                        "if (missing > 0) {",
                        "an event that was stored while its page was read is left out",
                        150),
                store(
                                "gap-before-the-rest-of-a-chain",
                                REPLAY + "CheckedPages",
                                "return reached.isAtEnd() ? NONE : reached.next();",
                                "return NONE;",
                                "the last event is left out if what is left of a chain stands behind it",
                                300)
                        .with(CHAINS, BROKEN_CHAINS, COMPANY, TAKEOVERS, NO_HINT, READS_LATE, PAGES_TORN)
                        .without(QUERIES, PROJECTIONS),
                store(
                                "parts-not-read-again",
                                REPLAY + "EntityScan",
                                "return event.batch().flatMap(Event.Batch::id).isPresent() && pages.isOutdated(event);",
                                "return false;",
                                "a chain from an old page hides what has replaced it",
                                200)
                        .with(CHAINS, BROKEN_CHAINS, COMPANY, TAKEOVERS, NO_HINT, READS_LATE, GROUP_BORDERS, BURSTS)
                        .without(QUERIES, PROJECTIONS),
                store(
                                "low-mark-not-read-for-gaps",
                                REPLAY + "CheckedPages",
                                "if (found.low() > missing) {",
                                "if (found.low() < 0) {",
                                "a history is replayed whose beginning is deleted meanwhile",
                                50)
                        .with(SNAPSHOTS, DELETES, RECOVERIES_BESIDE_DELETES, CHAINS, GROUP_BORDERS, READS_LATE)
                        .without(QUERIES, PROJECTIONS, SECOND_INSTANCES, VISITS, SILENCE),
                store(
                        "rejected-numbers-free",
                        APPEND + "FreeNumbers",
                        "return free < 0 || free > MOST ? 0 : (int) free;",
                        "return 0;",
                        "a stale writer's event lands in the number of a rejected one",
                        200),
                store(
                                "takeover-not-looked-for",
                                JOURNAL + "OwnHead",
                                "if (marks.low() > head.sequenceNumber() + 1) {",
                                "if (marks.low() < 0) {",
                                "a writer goes on after another has stored and deleted its next numbers",
                                50)
                        .with(LONG_PAUSES, COMPANY, TAKEOVERS, SNAPSHOTS, DELETES)
                        .without(
                                QUERIES,
                                PROJECTIONS,
                                SECOND_INSTANCES,
                                RECOVERIES_BESIDE_DELETES,
                                VISITS,
                                BURSTS,
                                BATCHES,
                                CHAINS,
                                GROUP_BORDERS),
                store(
                                "end-of-a-writer-forgotten",
                                JOURNAL + "OwnHead",
                                "|| entities.isOvertaken(persistenceId, write.writer(), head.sequenceNumber())",
                                "",
                                "a writer goes on from an event that it never saw",
                                150)
                        .with(REJECTIONS, SECOND_INSTANCES, VISITS)
                        .without(QUERIES, PROJECTIONS),
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
                                50)
                        .with(CHAINS, BROKEN_CHAINS, COMPANY)
                        .without(QUERIES, PROJECTIONS),
                store(
                                "end-of-a-chain-not-checked",
                                REPLAY + "ChainRemover",
                                "List.of(deletion(chain, chain.first()), lastIsMissing)",
                                "List.of(deletion(chain, chain.first()))",
                                "a recovery gives up a chain that is acknowledged",
                                70)
                        .with(CHAINS, COMPANY, VISITS)
                        .without(QUERIES, PROJECTIONS),
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
                                200)
                        .with(SNAPSHOTS, DELETES, STOPS_AFTER_A_DELETE, NODES_DIE, CLOCKS_SET)
                        .without(QUERIES, PROJECTIONS, SECOND_INSTANCES),
                store(
                                "budget-ignored",
                                CLIENT + "Budget",
                                "return Duration.ofNanos(Math.max(0, end - surroundings.nanoTime()));",
                                "return total;",
                                "a write is still retried when Pekko has given up",
                                150)
                        .with(NODES_CUT_OFF, THROTTLING)
                        .without(QUERIES, PROJECTIONS),
                store(
                                "unprocessed-keys-ignored",
                                CLIENT + "Batches",
                                "unprocessed == null ? List.of() : unprocessed.keys()",
                                "List.of()",
                                "marks that DynamoDB did not read count as missing",
                                50)
                        .with(UNPROCESSED, SNAPSHOTS, DELETES, STOPS_AFTER_A_DELETE, NO_HINT)
                        .without(QUERIES, PROJECTIONS, SECOND_INSTANCES));
    }
}
