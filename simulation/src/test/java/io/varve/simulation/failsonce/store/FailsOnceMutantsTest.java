package io.varve.simulation.failsonce.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.simulation.failsonce.Mutation;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Faults that are put into the store are found by a use case each. */
class FailsOnceMutantsTest {
    static Stream<Mutation> faults() {
        return Stream.of(
                new Mutation(
                        "own write not recognized",
                        "store",
                        "io.varve.store.internal.append.EventsInTheWay",
                        "if (existing == null || !ours.get(i).isSameAs(existing)) {",
                        "if (i >= 0) {",
                        "journal: one event"),
                new Mutation(
                        "unprocessed keys ignored",
                        "store",
                        "io.varve.store.internal.client.Batches",
                        "unprocessed == null ? List.of() : unprocessed.keys()",
                        "List.of()",
                        "projections: look at the offset"),
                new Mutation(
                        "unprocessed items ignored",
                        "store",
                        "io.varve.store.internal.client.Batches",
                        "response.unprocessedItems().getOrDefault(table, List.of())",
                        "List.of()",
                        "projections: at least once"),
                new Mutation(
                        "budget ignored",
                        "store",
                        "io.varve.store.internal.client.Budget",
                        "return Duration.ofNanos(Math.max(0, end - surroundings.nanoTime()));",
                        "return total;",
                        "journal: one event"),
                new Mutation(
                        "transactions without a token",
                        "store",
                        "io.varve.store.internal.client.Gateway",
                        ".clientRequestToken(surroundings.uniqueName())",
                        "",
                        "projections: exactly once"),
                new Mutation(
                        "incomplete writes delivered",
                        "store",
                        "io.varve.store.internal.slice.DeliveryRules",
                        "if (!complete) {",
                        "if (complete && !complete) {",
                        "queries: current events beside a write that was cut off"),
                new Mutation(
                        "low mark after the events",
                        "store",
                        "io.varve.store.internal.delete.Deletion",
                        "keepListed().thenCompose(listed -> raiseLowMark()).thenApply(raised -> this)",
                        "keepListed().thenCompose(listed -> finish()).thenCompose(gone -> raiseLowMark())"
                                + ".thenApply(raised -> this)",
                        "journal: delete"),
                new Mutation(
                        "head before its parts",
                        "store",
                        "io.varve.store.internal.snapshot.SnapshotStore",
                        ".thenCompose(opened -> parts.write(requests, entry.set(), stored))"
                                + " .thenCompose(written -> requests.transact("
                                + " TransactWriteItem.builder().put(putHead).build(),"
                                + " list.confirm(entry, requests.unanswered())))",
                        ".thenCompose(opened -> requests.transact(TransactWriteItem.builder().put(putHead).build(),"
                                + " list.confirm(entry, requests.unanswered())))"
                                + ".thenCompose(headed -> parts.write(requests, entry.set(), stored)"
                                + ".thenApply(written -> headed))",
                        "snapshots: save in parts"),
                new Mutation(
                        "parts of a failed save forgotten",
                        "store",
                        "io.varve.store.internal.snapshot.PartList",
                        "return orLog(persistenceId, cleanUp(requests, persistenceId));",
                        "return DONE;",
                        "snapshots: save in parts"),
                new Mutation(
                        "rewind not taken up",
                        "store",
                        "io.varve.store.internal.offset.ByHand",
                        "item -> !item.has(OffsetRows.TIMESTAMP) || OffsetRows.timestamp(item) >= from",
                        "item -> item.has(\"nothing\")",
                        "projections: set the offset back to a time"));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void faultInTheStore_isFound(Mutation mutation, @TempDir Path folder) throws Exception {
        assertThat(mutation.firstBroken(folder, UseCases.class))
                .as("%s is not found by the use cases with '%s'", mutation, mutation.useCases())
                .isPresent();
    }
}
