package io.varve.projection.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.pekko.Done;
import org.junit.jupiter.api.Test;

/** The events of an entity, one after another. */
class EntityLanesTest {
    private final EntityLanes lanes = new EntityLanes();
    private final List<String> ran = new CopyOnWriteArrayList<>();

    private CompletionStage<Done> run(String persistenceId) {
        return lanes.run(persistenceId, () -> {
            ran.add(persistenceId);
            return CompletableFuture.completedFuture(Done.getInstance());
        });
    }

    @Test
    void laneThatFailed_runsNothingMore() {
        lanes.run("a", () -> CompletableFuture.failedFuture(new IllegalStateException("first")));
        CompletionStage<Done> next = run("a");
        run("b");
        assertThat(next.toCompletableFuture()).isCompletedExceptionally();
        assertThat(ran).containsExactly("b");
    }
}
