package io.varve.projection.internal.settings;

import com.typesafe.config.Config;
import io.varve.store.internal.settings.SettingsReader;
import io.varve.store.table.TableDefinition;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/** What a section of the shape of {@code pekko.projection.dynamodb} says. */
public record OffsetStoreSettings(
        String table,
        Duration timeWindow,
        int maxEntities,
        Duration sliceFlushInterval,
        int batchSize,
        Retries retries,
        boolean replayMissing,
        Optional<Duration> acceptResetAfter,
        int parallelism,
        OptionalInt groupCommit,
        ViewSettings view,
        TimeToLive timeToLive,
        Parking parking) {
    private static final int LARGEST_BATCH = 25;
    private static final int LARGEST_TRANSACTION = 100;

    /**
     * How outages are waited out.
     *
     * @param max how often saving is tried again when DynamoDB finds it invalid
     */
    public record Retries(int max, Pauses pauses) {}

    /**
     * What becomes of entities for whose events the handler fails for good.
     *
     * @param isOn whether they are set aside; else the projection fails
     * @param maxParked how many are set aside before the projection fails as a whole
     * @param checkInterval how often an instance looks for what is ordered for them
     */
    public record Parking(boolean isOn, int maxParked, Duration checkInterval) {}

    /** The words of {@code on-failure}. */
    private enum FailureWord {
        FAIL,
        PARK
    }

    /** Reads a section; fails if it holds something unknown or invalid. */
    public static OffsetStoreSettings from(Config section, String path) {
        SettingsReader reader = new SettingsReader(section, path)
                .alsoKnown("use-client", "client", "client-dispatcher", "replaced-projection");
        SettingsReader store = reader.section("offset-store");
        SettingsReader retries = store.section("retries");
        SettingsReader exactlyOnce = reader.section("exactly-once");
        Duration minBackoff = retries.duration("min-backoff");
        Duration maxBackoff = retries.duration("max-backoff");
        if (maxBackoff.compareTo(minBackoff) < 0) {
            throw retries.invalid("max-backoff", "must not be shorter than min-backoff");
        }
        OffsetStoreSettings settings = new OffsetStoreSettings(
                store.parsed("timestamp-offset-table", TableDefinition::checkName),
                store.duration("time-window"),
                store.integer("max-entities", 100, 100_000_000),
                store.duration("slice-flush-interval"),
                store.integer("offset-batch-size", 1, LARGEST_BATCH),
                new Retries(
                        retries.integer("max-retries", 0, 1_000),
                        new Pauses(minBackoff, maxBackoff, retries.number("random-factor", 0, 10))),
                store.flag("replay-on-rejected-sequence-numbers"),
                store.durationOrOff("accept-sequence-number-reset-after"),
                exactlyOnce.integer("parallelism", 1, 10_000),
                exactlyOnce.isWord("group-commit", "off", "false")
                        ? OptionalInt.empty()
                        : OptionalInt.of(exactlyOnce.integer("group-commit", 2, LARGEST_TRANSACTION)),
                ViewSettings.from(reader.section("view")),
                TimeToLive.from(reader.section("time-to-live"), section.getConfig("time-to-live")),
                parking(reader));
        if (settings.parking().isOn() && !settings.replayMissing()) {
            throw reader.invalid(
                    "on-failure",
                    "cannot be park with offset-store.replay-on-rejected-sequence-numbers = off: the events of an entity that"
                            + " was set aside are read from the journal");
        }
        retries.rejectUnknown();
        store.rejectUnknown();
        exactlyOnce.rejectUnknown();
        reader.rejectUnknown();
        return settings;
    }

    private static Parking parking(SettingsReader reader) {
        SettingsReader park = reader.section("park");
        Parking parking = new Parking(
                reader.oneOf("on-failure", FailureWord.class) == FailureWord.PARK,
                park.integer("max-parked", 1, 10_000),
                park.duration("check-interval"));
        park.rejectUnknown();
        return parking;
    }
}
