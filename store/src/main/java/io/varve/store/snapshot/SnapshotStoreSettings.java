package io.varve.store.snapshot;

import io.varve.store.layout.ItemSize;
import io.varve.store.layout.TableDefinition;
import io.varve.store.settings.SettingsReader;

/** How snapshots are stored. */
public record SnapshotStoreSettings(
        String table,
        String journalName,
        Compression compression,
        long maxSnapshotSize,
        int maxItemSize,
        int partParallelism) {

    /** Reads a section of the shape of {@code dynamodb-snapshot-store}; its other keys are the plugin's. */
    public static SnapshotStoreSettings from(SettingsReader reader) {
        SettingsReader limits = reader.section("aws-api-limits");
        long maxSnapshotSize = reader.bytes("max-snapshot-size");
        if (maxSnapshotSize == 0) {
            throw reader.invalid("max-snapshot-size", "is 0 bytes, but must be more");
        }
        SnapshotStoreSettings settings = new SnapshotStoreSettings(
                reader.parsed("snapshot-table", TableDefinition::checkName),
                reader.nonEmpty("journal-name"),
                reader.oneOf("compression", Compression.class),
                maxSnapshotSize,
                limits.integer("max-item-size", 10_000, ItemSize.MAX),
                reader.integer("part-parallelism", 1, 100));
        limits.alsoKnown("max-batch-get", "max-batch-write").rejectUnknown();
        return settings;
    }
}
