package io.varve.projection.internal.pekko;

import org.apache.pekko.projection.RunningProjection.AbortProjectionException$;

/** With what everything fails that a stop interrupts: Pekko takes it for an end, not for a failure. */
public final class Abort {
    /** Its type. */
    public static final Class<? extends RuntimeException> TYPE = AbortProjectionException$.class;

    private Abort() {}

    /** The one there is. */
    public static RuntimeException exception() {
        return AbortProjectionException$.MODULE$;
    }
}
