package io.varve.simulation.failsonce;

import java.util.function.Consumer;
import java.util.function.Predicate;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbRequest;

/**
 * Something that a service does, and what is there before.
 *
 * @param <P> the kind of process that does it
 * @param area what it is part of
 * @param given what others have stored before
 * @param before what was done before, in the same process unless the use case begins with a fresh one
 * @param fresh whether it begins in a process that knows nothing yet
 * @param act what is done while a request fails
 * @param check what must hold after a fresh start, whatever has failed; true in the end, when all has succeeded
 * @param readsOnly whether it must not change any item
 * @param counting which of its requests fail
 */
public record UseCase<P extends RunningService>(
        String area,
        String name,
        Consumer<Scene> given,
        Step<P> before,
        boolean fresh,
        Step<P> act,
        Invariant<P> check,
        boolean readsOnly,
        Counting counting) {
    /** What holds after a fresh start. */
    public interface Invariant<P extends RunningService> {
        /** Checks it, or tells what to do in a fresh process to check it. */
        Step<P> step(Scene scene, boolean succeeded);
    }

    /**
     * Which requests of a use case fail.
     *
     * @param counts those that it is about
     * @param first how many of them; what polls sends more and more, so that each of these is sent at some time
     */
    public record Counting(Predicate<DynamoDbRequest> counts, int first) {
        public static final Counting ALL = new Counting(request -> true, Integer.MAX_VALUE);

        boolean isBounded() {
            return first < Integer.MAX_VALUE;
        }
    }

    public static <P extends RunningService> UseCase<P> of(String area, String name) {
        return new UseCase<>(
                area,
                name,
                scene -> {},
                Step.nothing(),
                false,
                Step.nothing(),
                (scene, succeeded) -> Step.nothing(),
                false,
                Counting.ALL);
    }

    public UseCase<P> given(Consumer<Scene> stored) {
        return new UseCase<>(area, name, stored, before, fresh, act, check, readsOnly, counting);
    }

    public UseCase<P> after(Step<P> step) {
        return new UseCase<>(area, name, given, step, fresh, act, check, readsOnly, counting);
    }

    /** Begins in a fresh process. */
    public UseCase<P> afresh() {
        return new UseCase<>(area, name, given, before, true, act, check, readsOnly, counting);
    }

    public UseCase<P> does(Step<P> step) {
        return new UseCase<>(area, name, given, before, fresh, step, check, readsOnly, counting);
    }

    /** Does what changes no item. */
    public UseCase<P> reads(Step<P> step) {
        return new UseCase<>(area, name, given, before, fresh, step, check, true, counting);
    }

    public UseCase<P> so(Invariant<P> invariant) {
        return new UseCase<>(area, name, given, before, fresh, act, invariant, readsOnly, counting);
    }

    /** Only the first of its requests fail. */
    public UseCase<P> first(int requests) {
        return new UseCase<>(
                area, name, given, before, fresh, act, check, readsOnly, new Counting(counting.counts(), requests));
    }

    /** Only such requests fail. */
    public UseCase<P> counting(Predicate<DynamoDbRequest> which) {
        return new UseCase<>(
                area, name, given, before, fresh, act, check, readsOnly, new Counting(which, counting.first()));
    }

    @Override
    public String toString() {
        return area + ": " + name;
    }
}
