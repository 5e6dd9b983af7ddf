package io.varve.simulation.failsonce;

import org.jspecify.annotations.Nullable;

/** An invariant does not hold. */
final class Broken extends AssertionError {
    private static final long serialVersionUID = 1L;

    Broken(String what) {
        super(what);
    }

    Broken(String what, @Nullable Throwable cause) {
        super(what, cause);
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation is not among our dependencies
    static void unless(boolean holds, String what, Object... arguments) {
        if (!holds) {
            throw new Broken(what.formatted(arguments));
        }
    }
}
