package io.varve.store.internal.async;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What runs a few actions at a time ends whatever they throw, and on whichever thread. */
class ConcurrentlyTest {
    private final CompletableFuture<Void> first = new CompletableFuture<>();
    private final List<Integer> started = new ArrayList<>();

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void errorOfALaterAction_failsTheWhole(int limit) {
        AssertionError error = new AssertionError("thrown by the test");
        CompletableFuture<Void> result = Concurrently.run(IntStream.range(0, 5)::iterator, limit, i -> {
                    started.add(i);
                    if (i == limit) {
                        throw error;
                    }
                    return first;
                })
                .toCompletableFuture();
        assertThat(result).isNotDone();
        first.complete(null);
        assertThat(result).isCompletedExceptionally();
        assertThat(result.handle((done, thrown) -> thrown)).isCompletedWithValue(error);
        assertThat(started).hasSize(limit + 1);
    }

    @Test
    void errorOfTheFirstAction_failsTheStageAndNotTheCaller() {
        AssertionError error = new AssertionError("thrown by the test");
        CompletableFuture<Void> result = Concurrently.run(List.of(1), 1, i -> {
                    throw error;
                })
                .toCompletableFuture();
        assertThat(result).isCompletedExceptionally();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void elementsThatCannotBeListed_failTheWhole(int fine) {
        Iterator<Integer> elements = new Iterator<>() {
            private int given;

            @Override
            public boolean hasNext() {
                if (given == fine) {
                    throw new StackOverflowError("thrown by the test");
                }
                return true;
            }

            @Override
            public Integer next() {
                return given++;
            }
        };
        CompletableFuture<Void> result =
                Concurrently.run(() -> elements, 1, i -> first).toCompletableFuture();
        first.complete(null);
        assertThat(result).isCompletedExceptionally();
    }
}
