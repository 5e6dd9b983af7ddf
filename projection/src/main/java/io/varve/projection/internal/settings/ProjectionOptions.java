package io.varve.projection.internal.settings;

import java.time.Duration;
import org.apache.pekko.projection.HandlerRecoveryStrategy;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.StatusObserver;
import org.apache.pekko.stream.RestartSettings;

/**
 * What is set for one projection alone.
 *
 * @param saveSize after how many envelopes the progress is saved, at least once
 * @param groupSize how many envelopes make a group
 */
public record ProjectionOptions<E>(
        ProjectionId id,
        RestartSettings restart,
        HandlerRecoveryStrategy recoveryStrategy,
        int saveSize,
        Duration saveDuration,
        int groupSize,
        Duration groupDuration,
        StatusObserver<E> observer) {

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

    public ProjectionOptions<E> withRestart(RestartSettings other) {
        return new ProjectionOptions<>(
                id, other, recoveryStrategy, saveSize, saveDuration, groupSize, groupDuration, observer);
    }

    public ProjectionOptions<E> withRecoveryStrategy(HandlerRecoveryStrategy other) {
        return new ProjectionOptions<>(id, restart, other, saveSize, saveDuration, groupSize, groupDuration, observer);
    }

    public ProjectionOptions<E> withSave(int size, Duration duration) {
        return new ProjectionOptions<>(
                id, restart, recoveryStrategy, size, duration, groupSize, groupDuration, observer);
    }

    public ProjectionOptions<E> withGroup(int size, Duration duration) {
        return new ProjectionOptions<>(id, restart, recoveryStrategy, saveSize, saveDuration, size, duration, observer);
    }

    public ProjectionOptions<E> withObserver(StatusObserver<E> other) {
        return new ProjectionOptions<>(
                id, restart, recoveryStrategy, saveSize, saveDuration, groupSize, groupDuration, other);
    }
}
