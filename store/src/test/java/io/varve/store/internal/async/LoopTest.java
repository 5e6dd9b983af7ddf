package io.varve.store.internal.async;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Loops take one step after the other, end with the first failure, and need no stack. */
class LoopTest {
    private static final int MANY = 100_000;

    private final List<Integer> started = new ArrayList<>();
    private final CompletableFuture<Void> first = new CompletableFuture<>();

    @Test
    void forEach_beginsWithAnElementWhenTheOneBeforeItIsDone() {
        CompletionStage<Void> result = Loop.forEach(List.of(1, 2), i -> {
            started.add(i);
            return first;
        });
        assertThat(started).containsExactly(1);
        first.complete(null);
        assertThat(started).containsExactly(1, 2);
        assertThat(result.toCompletableFuture()).isCompleted();
    }

    @Test
    void repeat_ofManyStepsThatAreDoneAtOnce_needsNoStack() {
        int[] count = {0};
        CompletionStage<Void> result = Loop.repeat(() -> count[0] < MANY, () -> {
            count[0]++;
            return CompletableFuture.completedFuture(null);
        });
        assertThat(result.toCompletableFuture()).isCompleted();
        assertThat(count[0]).isEqualTo(MANY);
    }

    @Test
    void walk_goesFromPlaceToPlaceUntilThereIsNone() {
        CompletionStage<Void> result = Loop.walk(0, place -> {
            started.add(place);
            return CompletableFuture.completedFuture(place < MANY ? Optional.of(place + 1) : Optional.empty());
        });
        assertThat(result.toCompletableFuture()).isCompleted();
        assertThat(started).hasSize(MANY + 1).startsWith(0, 1, 2).endsWith(MANY);
    }

    @Test
    void walk_endsWithTheFirstFailure_alsoOneThatIsThrown() {
        IllegalStateException failure = new IllegalStateException("thrown by the test");
        CompletionStage<Void> result = Loop.walk(0, place -> {
            started.add(place);
            if (place == 1) {
                throw failure;
            }
            return first.thenApply(done -> Optional.of(place + 1));
        });
        first.complete(null);
        assertThat(result.handle((done, thrown) -> thrown).toCompletableFuture())
                .isCompletedWithValue(failure);
        assertThat(started).containsExactly(0, 1);
    }

    @Test
    void find_leavesTheElementsAfterTheResultAlone() {
        assertThat(found(1, 2, 3, 4)).contains("3");
        assertThat(started).containsExactly(1, 2, 3);
    }

    @Test
    void find_whereNoElementHasAResult_isEmpty() {
        assertThat(found(1, 2)).isEmpty();
        assertThat(found()).isEmpty();
    }

    private Optional<String> found(Integer... elements) {
        return Loop.find(List.of(elements), i -> {
                    started.add(i);
                    return CompletableFuture.completedFuture(i > 2 ? Optional.of("" + i) : Optional.<String>empty());
                })
                .toCompletableFuture()
                .join();
    }
}
