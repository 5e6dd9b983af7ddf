package io.varve.simulation.failsonce;

import org.jspecify.annotations.Nullable;

/** An invariant does not hold. */
public final class Broken extends AssertionError {
    private static final long serialVersionUID = 1L;

    public Broken(String what) {
        super(what);
    }

    public Broken(String what, @Nullable Throwable cause) {
        super(what, cause);
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation is not among our dependencies
    public static void unless(boolean holds, String what, Object... arguments) {
        if (!holds) {
            throw new Broken(what.formatted(arguments));
        }
    }
}
