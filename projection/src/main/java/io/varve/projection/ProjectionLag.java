package io.varve.projection;

import java.time.Duration;

/**
 * How far the instance of a projection that has these slices is behind.
 *
 * @param events how many events wait, as the index shows them
 * @param atLeast whether there are more than {@code events}: no more are counted
 * @param age of the oldest event that waits; zero if none does
 */
public record ProjectionLag(int minSlice, int maxSlice, long events, boolean atLeast, Duration age) {

    /** Whether nothing waits. */
    public boolean isCaughtUp() {
        return events == 0 && !atLeast;
    }
}
