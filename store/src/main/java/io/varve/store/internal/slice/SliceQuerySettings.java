package io.varve.store.internal.slice;

import io.varve.store.internal.settings.SettingsReader;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * How slices are read.
 *
 * @param pageSize how many events a request reads
 * @param refreshInterval how long a quiet shard waits for its next request
 * @param quietRefreshInterval how long it waits at most while events are published
 * @param behindCurrentTime how far the plain pass stays behind the clock
 * @param backtrackingBehind how far the second pass stays behind the clock
 * @param backtrackingWindow how far before its offset a query begins
 * @param sweep the third pass
 * @param parallelism how many requests run at once
 * @param maxFailures after how many failures of a shard in a row the query fails
 * @param rememberedEntities how many entities are remembered, so that what comes again is recognized
 */
public record SliceQuerySettings(
        int pageSize,
        Duration refreshInterval,
        Duration quietRefreshInterval,
        Duration behindCurrentTime,
        Duration backtrackingBehind,
        Duration backtrackingWindow,
        Optional<Sweep> sweep,
        int parallelism,
        int maxFailures,
        int rememberedEntities) {

    /** Who asks often wants events soon, also those that are not published. */
    private static final int MOST_REFRESH_INTERVALS = 10;
    /** A restart finds what backtracking has not found yet, up to twice its distance later, in shards half a window apart. */
    private static final int LEAST_WINDOW = 4;

    /** The pass for events that became visible very late: how often it reads, and how old events are then. */
    public record Sweep(Duration interval, Duration window) {}

    /** Reads a section of the shape of {@code dynamodb-read-journal}; its other keys are the plugin's. */
    public static SliceQuerySettings from(SettingsReader reader) {
        SettingsReader backtracking = reader.section("backtracking");
        SettingsReader sweep = reader.section("sweep");
        Duration behind = reader.duration("behind-current-time");
        Duration backtrackingBehind = backtracking.duration("behind-current-time");
        Duration window = backtracking.duration("window");
        Duration sweepWindow = sweep.duration("window");
        SliceQuerySettings settings = new SliceQuerySettings(
                reader.integer("page-size", 1, 1_000),
                reader.duration("refresh-interval"),
                reader.duration("quiet-refresh-interval"),
                behind,
                backtrackingBehind,
                window,
                sweep.durationOrOff("interval").map(interval -> new Sweep(interval, sweepWindow)),
                reader.integer("parallelism", 1, 1_000),
                reader.integer("max-failures", 1, 1_000_000),
                reader.integer("remembered-entities", 1_000, 100_000_000));
        if (backtrackingBehind.compareTo(behind) <= 0) {
            throw backtracking.invalid(
                    "behind-current-time", "is not longer than behind-current-time of the plain pass");
        }
        if (window.compareTo(backtrackingBehind.multipliedBy(LEAST_WINDOW)) < 0) {
            throw backtracking.invalid(
                    "window",
                    "is shorter than " + LEAST_WINDOW + " times backtracking.behind-current-time; a query that goes on"
                            + " from an offset could miss late events");
        }
        if (settings.refreshInterval().multipliedBy(2).compareTo(window) >= 0) {
            throw reader.invalid(
                    "refresh-interval",
                    "is " + settings.refreshInterval().toMillis()
                            + " ms, but must be shorter than half of backtracking.window ("
                            + window.toMillis() + " ms), which is what a query reads again when it is restarted");
        }
        if (sweepWindow.compareTo(window) < 0) {
            throw sweep.invalid("window", "is shorter than backtracking.window");
        }
        backtracking.rejectUnknown();
        sweep.rejectUnknown();
        return settings;
    }

    /** How long a shard's turn can wait: shards stay near enough to each other, and late events within what a restart reads. */
    Duration longest() {
        return longer(refreshInterval, backtrackingWindow.dividedBy(LEAST_WINDOW));
    }

    /** How long a quiet shard's turn can wait while events are published. */
    Duration quietest() {
        Duration most = Collections.min(
                List.of(quietRefreshInterval, longest(), refreshInterval.multipliedBy(MOST_REFRESH_INTERVALS)));
        return longer(refreshInterval, most);
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    /** The age at which the index is taken to hold every event. */
    public Duration trustedAge() {
        return sweep.map(Sweep::window).orElse(backtrackingWindow);
    }
}
