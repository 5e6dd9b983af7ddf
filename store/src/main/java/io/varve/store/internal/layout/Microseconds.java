package io.varve.store.internal.layout;

import java.time.Duration;
import java.time.Instant;

/** Times as they are stored: microseconds since the epoch. */
public final class Microseconds {
    private static final long OF_A_SECOND = 1_000_000;
    private static final int NANOS = 1_000;
    private static final int OF_A_MILLISECOND = 1_000;

    private Microseconds() {}

    /** The microsecond of an instant. */
    public static long of(Instant instant) {
        return instant.getEpochSecond() * OF_A_SECOND + instant.getNano() / NANOS;
    }

    /** The whole microseconds of a duration. */
    public static long of(Duration duration) {
        return duration.getSeconds() * OF_A_SECOND + duration.getNano() / NANOS;
    }

    /** The milliseconds since the epoch, as Pekko counts. */
    public static long toMillis(long microseconds) {
        return microseconds / OF_A_MILLISECOND;
    }

    /** The instant at which a microsecond begins. */
    public static Instant toInstant(long microseconds) {
        return Instant.ofEpochSecond(
                Math.floorDiv(microseconds, OF_A_SECOND), Math.floorMod(microseconds, OF_A_SECOND) * NANOS);
    }
}
