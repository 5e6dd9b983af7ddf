package io.varve.projection;

import java.time.Duration;
import org.apache.pekko.projection.HandlerRecoveryStrategy;

/** What of a projection can be set for it alone. */
record Options(
        HandlerRecoveryStrategy recoveryStrategy,
        int saveSize,
        Duration saveDuration,
        int groupSize,
        Duration groupDuration) {

    Options {
        check(saveSize, saveDuration, "of which the offset is saved");
        check(groupSize, groupDuration, "that make a group");
    }

    private static void check(int size, Duration duration, String what) {
        if (size < 1 || duration.isNegative() || (duration.isZero() && size > 1)) {
            throw new IllegalArgumentException("The number of envelopes " + what + ", " + size
                    + ", must be at least 1, and the time, " + duration + ", longer than zero if there are several.");
        }
    }

    Options withRecoveryStrategy(HandlerRecoveryStrategy other) {
        return new Options(other, saveSize, saveDuration, groupSize, groupDuration);
    }

    Options withSave(int size, Duration duration) {
        return new Options(recoveryStrategy, size, duration, groupSize, groupDuration);
    }

    Options withGroup(int size, Duration duration) {
        return new Options(recoveryStrategy, saveSize, saveDuration, size, duration);
    }
}
