package io.varve.simulation.failsonce.pekko;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.varve.simulation.failsonce.Mutation;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Faults that are put into plugins and projections are found by a use case each. */
class PekkoFailsOnceMutantsTest {
    static Stream<Arguments> faults() {
        return Stream.of(
                arguments(
                        new Mutation(
                                "a rejected event counts as stored",
                                "persistence",
                                "io.varve.persistence.journal.DynamoDBJournal",
                                "Optional.of(rejected.reason())",
                                "Optional.ofNullable(rejected.reason()).filter(reason -> false).map(reason -> (Exception) reason)",
                                "an event that is rejected"),
                        "It was stored"),
                arguments(
                        new Mutation(
                                "a query that fails does not say what it has read",
                                "persistence",
                                "io.varve.persistence.internal.query.Retries",
                                "+ cause.getMessage(),",
                                "+ failures,",
                                "current events by slices"),
                        "is not told what has failed"),
                arguments(
                        new Mutation(
                                "a failed delete counts as done",
                                "persistence",
                                "io.varve.persistence.journal.DynamoDBJournal",
                                "Futures.toScala(store.delete(persistenceId, toSequenceNr))",
                                "Futures.toScala(store.delete(persistenceId, toSequenceNr).exceptionally(thrown -> null))",
                                "delete up to an event"),
                        "are stored"),
                arguments(
                        new Mutation(
                                "a failed save of a snapshot counts as done",
                                "persistence",
                                "io.varve.persistence.snapshot.DynamoDBSnapshotStore",
                                "return Futures.toScala(store.save(CompletableFuture.supplyAsync(() -> codec.encode(metadata, snapshot),"
                                        + " workers) .thenCompose(stage -> stage)));",
                                "return Futures.toScala(store.save(CompletableFuture.supplyAsync(() -> codec.encode(metadata, snapshot),"
                                        + " workers).thenCompose(stage -> stage)).exceptionally(thrown -> null));",
                                "snapshot plugin: save"),
                        "has another snapshot"));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void faultInAPlugin_isFound(Mutation mutation, String broken, @TempDir Path folder) throws Exception {
        assertThat(mutation.firstBroken(folder, UseCases.class))
                .as("%s is not found by the use cases with '%s'", mutation, mutation.useCases())
                .hasValueSatisfying(found -> assertThat(found).contains(broken));
    }
}
