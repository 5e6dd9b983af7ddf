package io.varve.store.table;

import com.typesafe.config.Config;
import io.varve.store.internal.settings.SettingsReader;
import java.util.Map;
import java.util.Optional;

/** What can be chosen when a table is created: how it is billed and which extras it has. */
public record TableOptions(
        Optional<Provisioned> provisioned,
        boolean timeToLive,
        boolean pointInTimeRecovery,
        boolean deletionProtection,
        Map<String, String> tags) {

    /** On demand, with time to live enabled, nothing else. */
    public static final TableOptions DEFAULT = new TableOptions(Optional.empty(), true, false, false, Map.of());

    /** Capacity that is paid for whether it is used or not; each global index gets the same. */
    public record Provisioned(long readUnits, long writeUnits) {
        /** At least one unit each. */
        public Provisioned {
            if (readUnits < 1 || writeUnits < 1) {
                throw new IllegalArgumentException(
                        "provisioned capacity must be at least 1 unit, not " + readUnits + " and " + writeUnits);
            }
        }
    }

    private enum Billing {
        ON_DEMAND,
        PROVISIONED
    }

    /** Reads a section of the shape of {@code pekko.persistence.dynamodb.tables}. */
    public static TableOptions from(Config section, String path) {
        SettingsReader reader = new SettingsReader(section, path);
        Billing billing = reader.oneOf("billing", Billing.class);
        Provisioned provisioned = new Provisioned(
                reader.integer("read-units", 1, Integer.MAX_VALUE),
                reader.integer("write-units", 1, Integer.MAX_VALUE));
        TableOptions options = new TableOptions(
                billing == Billing.PROVISIONED ? Optional.of(provisioned) : Optional.empty(),
                reader.flag("time-to-live"),
                reader.flag("point-in-time-recovery"),
                reader.flag("deletion-protection"),
                reader.texts("tags"));
        reader.rejectUnknown();
        return options;
    }
}
