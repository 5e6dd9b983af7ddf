package io.varve.projection.internal.progress;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import org.apache.pekko.Done;
import org.junit.jupiter.api.Test;

/** Who waits for an event is told once, and forgotten. */
class WaitsTest {
    private final Waits waits = new Waits();

    private CompletableFuture<Done> wait(String persistenceId, long number) {
        return waits.add(persistenceId, number, Runnable::run);
    }

    @Test
    void reached_tellsThoseUpToTheNumber() {
        CompletableFuture<Done> first = wait("a", 1);
        CompletableFuture<Done> second = wait("a", 2);
        CompletableFuture<Done> third = wait("a", 3);
        CompletableFuture<Done> other = wait("b", 1);
        waits.reached("a", 2);
        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
        assertThat(third).isNotDone();
        assertThat(other).isNotDone();
    }

    @Test
    void tooMany_areRefused_untilOthersHaveGivenUp() {
        CompletableFuture<Done> first = wait("a", 1);
        for (int i = 1; i < Waits.MOST; i++) {
            assertThat(wait("b", i)).isNotDone();
        }
        assertThat(wait("c", 1))
                .isCompletedExceptionally()
                .failsWithin(java.time.Duration.ZERO)
                .withThrowableThat()
                .withMessageContaining("10000 callers on this node wait");
        first.cancel(false);
        waits.removeDone("a");
        assertThat(wait("c", 1)).isNotDone();
        waits.reached("b", Waits.MOST);
        assertThat(wait("c", 2)).isNotDone();
    }

    @Test
    void end_failsAll_alsoThoseWhoComeLater() {
        CompletableFuture<Done> before = wait("a", 1);
        waits.fail(new IllegalStateException("ended"));
        assertThat(before).isCompletedExceptionally();
        assertThat(wait("a", 1)).isCompletedExceptionally();
    }
}
