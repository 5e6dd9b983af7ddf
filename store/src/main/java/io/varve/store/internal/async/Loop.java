package io.varve.store.internal.async;

import java.util.Iterator;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Asynchronous steps one after the other, however many there are: a loop does not grow the stack. It ends with the first step that
 * fails, and whatever is thrown, errors included: somebody waits for it.
 */
public final class Loop {
    private Loop() {}

    /** Does something with each element. */
    public static <T> CompletionStage<Void> forEach(
            Iterable<T> elements, Function<? super T, ? extends CompletionStage<?>> action) {
        return Concurrently.run(elements, 1, action);
    }

    /** Does something as long as the condition holds. */
    public static CompletionStage<Void> repeat(
            BooleanSupplier condition, Supplier<? extends CompletionStage<?>> action) {
        return forEach(() -> endless(condition, action), Supplier::get);
    }

    /** Goes from place to place until there is no next one. */
    public static <T> CompletionStage<Void> walk(T first, Function<? super T, CompletionStage<Optional<T>>> next) {
        Latest<T> place = new Latest<>(Optional.of(first));
        return repeat(
                () -> place.value.isPresent(),
                () -> next.apply(place.value.orElseThrow()).thenAccept(place::set));
    }

    /** The first result that an element has; the elements after it are left alone. */
    public static <T, R> CompletionStage<Optional<R>> find(
            Iterable<T> elements, Function<? super T, CompletionStage<Optional<R>>> result) {
        Latest<R> found = new Latest<>(Optional.empty());
        Iterator<T> rest = elements.iterator();
        return repeat(
                        () -> found.value.isEmpty() && rest.hasNext(),
                        () -> result.apply(rest.next()).thenAccept(found::set))
                .thenApply(done -> found.value);
    }

    private static <T> Iterator<T> endless(BooleanSupplier condition, T element) {
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return condition.getAsBoolean();
            }

            @Override
            public T next() {
                return element;
            }
        };
    }

    /** What the last step has left for the next one, on whichever thread that runs. */
    private static final class Latest<T> {
        private volatile Optional<T> value;

        Latest(Optional<T> value) {
            this.value = value;
        }

        void set(Optional<T> next) {
            value = next;
        }
    }
}
