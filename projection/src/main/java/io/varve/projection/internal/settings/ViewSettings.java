package io.varve.projection.internal.settings;

import io.varve.store.internal.settings.SettingsReader;
import java.time.Duration;
import java.util.Optional;

/**
 * How items with their progress in them are written.
 *
 * @param parallelism how many are written at the same time
 * @param maxWaiting how many events wait at most for theirs
 * @param maxStates how many are kept in memory
 * @param readAheadAfter how old an event is for which what follows it is read from the journal; absent if nothing is
 */
public record ViewSettings(int parallelism, int maxWaiting, int maxStates, Optional<Duration> readAheadAfter) {

    static ViewSettings from(SettingsReader reader) {
        ViewSettings settings = new ViewSettings(
                reader.integer("parallelism", 1, 10_000),
                reader.integer("max-waiting", 1, 1_000_000),
                reader.integer("max-states", 1, 100_000_000),
                reader.durationOrOff("read-ahead-after"));
        reader.rejectUnknown();
        return settings;
    }
}
