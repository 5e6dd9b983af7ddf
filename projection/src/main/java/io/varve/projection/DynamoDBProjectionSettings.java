package io.varve.projection;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import io.varve.store.SettingsException;
import io.varve.store.internal.settings.SettingsReader;
import io.varve.store.table.TableDefinition;
import java.time.Duration;
import java.util.Optional;
import org.apache.pekko.actor.typed.ActorSystem;

/** How projections keep their offsets. Immutable; {@code with…} makes a copy. */
public final class DynamoDBProjectionSettings {
    /** The path of the default configuration. */
    public static final String PATH = "pekko.projection.dynamodb";

    private static final int LARGEST_BATCH = 25;

    private final Config section;
    private final String path;
    private final Values values;

    /** What the section says. */
    record Values(
            String table,
            Duration timeWindow,
            int maxEntities,
            Duration sliceFlushInterval,
            int batchSize,
            Retries retries,
            boolean replayMissing,
            Optional<Duration> acceptResetAfter,
            int parallelism,
            TimeToLive timeToLive) {}

    /** How often saving is tried again. */
    record Retries(int max, Duration minBackoff, Duration maxBackoff, double randomFactor) {}

    private DynamoDBProjectionSettings(Config section, String path, Values values) {
        this.section = section;
        this.path = path;
        this.values = values;
    }

    /** The settings of the default section. */
    public static DynamoDBProjectionSettings create(ActorSystem<?> system) {
        return create(system, PATH);
    }

    /** The settings of the section at a path; what it does not say is taken from the default one. */
    public static DynamoDBProjectionSettings create(ActorSystem<?> system, String path) {
        Config config = system.settings().config();
        if (!config.hasPath(path)) {
            throw new SettingsException(path, "this section is missing from the configuration");
        }
        return from(config.getConfig(path).withFallback(config.getConfig(PATH)), path);
    }

    /** The settings of a section of the shape of {@value #PATH}. */
    public static DynamoDBProjectionSettings create(Config section) {
        return from(section, PATH);
    }

    private static DynamoDBProjectionSettings from(Config section, String path) {
        SettingsReader reader =
                new SettingsReader(section, path).alsoKnown("use-client", "client", "client-dispatcher");
        SettingsReader store = reader.section("offset-store");
        SettingsReader retries = store.section("retries");
        SettingsReader exactlyOnce = reader.section("exactly-once");
        Duration minBackoff = retries.duration("min-backoff");
        Duration maxBackoff = retries.duration("max-backoff");
        if (maxBackoff.compareTo(minBackoff) < 0) {
            throw retries.invalid("max-backoff", "must not be shorter than min-backoff");
        }
        Values values = new Values(
                store.parsed("timestamp-offset-table", TableDefinition::checkName),
                store.duration("time-window"),
                store.integer("max-entities", 100, 100_000_000),
                store.duration("slice-flush-interval"),
                store.integer("offset-batch-size", 1, LARGEST_BATCH),
                new Retries(
                        retries.integer("max-retries", 0, 1_000),
                        minBackoff,
                        maxBackoff,
                        retries.number("random-factor", 0, 10)),
                store.flag("replay-on-rejected-sequence-numbers"),
                store.durationOrOff("accept-sequence-number-reset-after"),
                exactlyOnce.integer("parallelism", 1, 10_000),
                TimeToLive.from(reader.section("time-to-live"), section.getConfig("time-to-live")));
        retries.rejectUnknown();
        store.rejectUnknown();
        exactlyOnce.rejectUnknown();
        reader.rejectUnknown();
        return new DynamoDBProjectionSettings(section, path, values);
    }

    Config section() {
        return section;
    }

    String path() {
        return path;
    }

    Values values() {
        return values;
    }

    /** The name of the offset table. */
    public String timestampOffsetTable() {
        return values.table();
    }

    /** The same with another offset table. */
    public DynamoDBProjectionSettings withTimestampOffsetTable(String table) {
        return with("offset-store.timestamp-offset-table", table);
    }

    /** The same with another number of events that exactly-once projections process at the same time. */
    public DynamoDBProjectionSettings withParallelism(int parallelism) {
        return with("exactly-once.parallelism", parallelism);
    }

    /** The same with another time after which slices' places are written. */
    public DynamoDBProjectionSettings withSliceFlushInterval(Duration interval) {
        return with("offset-store.slice-flush-interval", interval.toMillis() + " ms");
    }

    /** The same with another time for which an entity's number stays in memory. */
    public DynamoDBProjectionSettings withTimeWindow(Duration window) {
        return with("offset-store.time-window", window.toMillis() + " ms");
    }

    /** The same with the client that another section configures. */
    public DynamoDBProjectionSettings withUseClient(String clientPath) {
        return with("use-client", clientPath);
    }

    private DynamoDBProjectionSettings with(String key, Object value) {
        return from(section.withValue(key, ConfigValueFactory.fromAnyRef(value)), path);
    }
}
