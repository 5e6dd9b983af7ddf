package io.varve.projection.internal.settings;

import java.time.Duration;
import org.apache.pekko.projection.HandlerRecoveryStrategy;

/** What of a projection can be set for it alone. */
public record ProjectionOptions(
        HandlerRecoveryStrategy recoveryStrategy,
        int saveSize,
        Duration saveDuration,
        int groupSize,
        Duration groupDuration) {

    public ProjectionOptions {
        check(saveSize, saveDuration, "of which the offset is saved");
        check(groupSize, groupDuration, "that make a group");
    }

    private static void check(int size, Duration duration, String what) {
        if (size < 1 || duration.isNegative() || (duration.isZero() && size > 1)) {
            throw new IllegalArgumentException("The number of envelopes " + what + ", " + size
                    + ", must be at least 1, and the time, " + duration + ", longer than zero if there are several.");
        }
    }

    public ProjectionOptions withRecoveryStrategy(HandlerRecoveryStrategy other) {
        return new ProjectionOptions(other, saveSize, saveDuration, groupSize, groupDuration);
    }

    public ProjectionOptions withSave(int size, Duration duration) {
        return new ProjectionOptions(recoveryStrategy, size, duration, groupSize, groupDuration);
    }

    public ProjectionOptions withGroup(int size, Duration duration) {
        return new ProjectionOptions(recoveryStrategy, saveSize, saveDuration, size, duration);
    }
}
