package io.varve.simulation.failsonce;

/**
 * Something that a service does, and what is there before.
 *
 * @param area what it is part of
 * @param before what was done before, in the same process unless the use case begins with a fresh one
 * @param fresh whether it begins in a process that knows nothing yet
 * @param act what is done while a request fails
 * @param check what must hold after a fresh start, whatever has failed; true in the end, when all has succeeded
 * @param readsOnly whether it must not change any item
 */
record UseCase(String area, String name, Step before, boolean fresh, Step act, Invariant check, boolean readsOnly) {
    /** What holds after a fresh start. */
    interface Invariant {
        Invariant OF_WHAT_WAS_TOLD = (scene, succeeded) -> Step.NOTHING;

        /** Checks it, or tells what to do in a fresh process to check it. */
        Step step(Scene scene, boolean succeeded);
    }

    static UseCase of(String area, String name) {
        return new UseCase(area, name, Step.NOTHING, false, Step.NOTHING, Invariant.OF_WHAT_WAS_TOLD, false);
    }

    UseCase after(Step step) {
        return new UseCase(area, name, step, fresh, act, check, readsOnly);
    }

    /** Begins in a fresh process. */
    UseCase afresh() {
        return new UseCase(area, name, before, true, act, check, readsOnly);
    }

    UseCase does(Step step) {
        return new UseCase(area, name, before, fresh, step, check, readsOnly);
    }

    /** Does what changes no item. */
    UseCase reads(Step step) {
        return new UseCase(area, name, before, fresh, step, check, true);
    }

    UseCase so(Invariant invariant) {
        return new UseCase(area, name, before, fresh, act, invariant, readsOnly);
    }

    @Override
    public String toString() {
        return area + ": " + name;
    }
}
