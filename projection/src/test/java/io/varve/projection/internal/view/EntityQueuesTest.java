package io.varve.projection.internal.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.projection.internal.event.AdaptedEvent;
import io.varve.projection.internal.event.Position;
import io.varve.projection.internal.progress.InFlight;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.apache.pekko.Done;
import org.junit.jupiter.api.Test;

/** What waits of an entity is processed together. */
class EntityQueuesTest {
    private static final int MANY = 100_000;

    private static InFlight<String> event(String persistenceId) {
        return new InFlight<>(new AdaptedEvent<>(new Position(persistenceId, 1, 1, 1), List.of()));
    }

    @Test
    void manyEntitiesThatAreOverAtOnce_doNotGrowTheStack() {
        CompletableFuture<Done> first = new CompletableFuture<>();
        EntityQueues<String> queues = new EntityQueues<>(
                1,
                events -> events.get(0).position().persistenceId().equals("first")
                        ? first
                        : CompletableFuture.completedFuture(Done.getInstance()));
        CompletionStage<Done> held = queues.add(event("first"));
        List<CompletionStage<Done>> others = IntStream.range(0, MANY)
                .mapToObj(number -> queues.add(event("other-" + number)))
                .toList();
        assertThat(others).noneMatch(other -> other.toCompletableFuture().isDone());
        first.complete(Done.getInstance());
        assertThat(held.toCompletableFuture()).isDone();
        assertThat(others).allMatch(other -> other.toCompletableFuture().isDone());
    }
}
