package io.varve.projection;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import io.varve.projection.internal.settings.OffsetStoreSettings;
import io.varve.store.SettingsException;
import java.time.Duration;
import java.util.Locale;
import org.apache.pekko.actor.typed.ActorSystem;

/** How projections keep their offsets. Immutable; {@code with…} makes a copy. */
public final class DynamoDBProjectionSettings {
    /** The path of the default configuration. */
    public static final String PATH = "pekko.projection.dynamodb";

    private final Config section;
    private final String path;
    private final OffsetStoreSettings values;

    private DynamoDBProjectionSettings(Config section, String path, OffsetStoreSettings values) {
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
        return new DynamoDBProjectionSettings(section, path, OffsetStoreSettings.from(section, path));
    }

    /** The section that these settings are made of. */
    public Config config() {
        return section;
    }

    /** Where the section is in the configuration. */
    public String path() {
        return path;
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

    /** The same with group commit: exactly-once projections store up to so many events that wait in one transaction. */
    public DynamoDBProjectionSettings withGroupCommit(int mostEvents) {
        return with("exactly-once.group-commit", mostEvents);
    }

    /** The same with another time after which slices' places are written. */
    public DynamoDBProjectionSettings withSliceFlushInterval(Duration interval) {
        return with("offset-store.slice-flush-interval", interval.toMillis() + " ms");
    }

    /** The same with another time for which an entity's number stays in memory. */
    public DynamoDBProjectionSettings withTimeWindow(Duration window) {
        return with("offset-store.time-window", window.toMillis() + " ms");
    }

    /** What happens when the handler fails for good for an event. */
    public OnFailure onFailure() {
        return values.parking().isOn() ? OnFailure.PARK : OnFailure.FAIL;
    }

    /** The same with another way to treat events for which the handler fails for good. */
    public DynamoDBProjectionSettings withOnFailure(OnFailure onFailure) {
        return with("on-failure", onFailure.name().toLowerCase(Locale.ROOT));
    }

    /** The same with the client that another section configures. */
    public DynamoDBProjectionSettings withUseClient(String clientPath) {
        return with("use-client", clientPath);
    }

    private DynamoDBProjectionSettings with(String key, Object value) {
        return from(section.withValue(key, ConfigValueFactory.fromAnyRef(value)), path);
    }
}
