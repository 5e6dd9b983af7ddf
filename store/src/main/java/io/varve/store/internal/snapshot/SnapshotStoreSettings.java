package io.varve.store.internal.snapshot;

import io.varve.store.internal.layout.ItemSize;
import io.varve.store.internal.settings.SettingsReader;
import io.varve.store.table.TableDefinition;

/**
 * How snapshots are stored.
 *
 * @param maxSnapshotSize a snapshot with more bytes, compressed if so configured, is not saved
 * @param maxLoadedSize a snapshot with more bytes, after decompression, is neither saved nor loaded
 */
public record SnapshotStoreSettings(
        String table,
        String journalName,
        Compression compression,
        int maxSnapshotSize,
        int maxLoadedSize,
        int maxItemSize,
        int partParallelism) {

    /** What one part holds at most: less than an item's limit by its key. */
    private static final int PART_SIZE = 390_000;

    /** What is left of an item for its key, where items are made smaller. */
    private static final int BESIDE_PART = 5_000;

    /** An array of more bytes is not possible everywhere. */
    private static final int MAX_ARRAY = Integer.MAX_VALUE - 64;

    /** How many bytes a part has, the last one excepted. */
    int partSize() {
        return Math.min(PART_SIZE, maxItemSize - BESIDE_PART);
    }

    /** Reads a section of the shape of {@code dynamodb-snapshot-store}; its other keys are the plugin's. */
    public static SnapshotStoreSettings from(SettingsReader reader) {
        SettingsReader limits = reader.section("aws-api-limits");
        SnapshotStoreSettings settings = new SnapshotStoreSettings(
                reader.parsed("snapshot-table", TableDefinition::checkName),
                reader.nonEmpty("journal-name"),
                reader.oneOf("compression", Compression.class),
                size(reader, "max-snapshot-size"),
                size(reader, "max-loaded-size"),
                limits.integer("max-item-size", 10_000, ItemSize.MAX),
                reader.integer("part-parallelism", 1, 100));
        if (settings.maxLoadedSize() < settings.maxSnapshotSize()) {
            throw reader.invalid(
                    "max-loaded-size", "is less than max-snapshot-size: what is saved could not be loaded");
        }
        if (settings.maxSnapshotSize() / settings.partSize() >= PartSet.MAX_PARTS) {
            throw reader.invalid(
                    "max-snapshot-size",
                    "needs more than " + PartSet.MAX_PARTS + " parts: lower it, or raise aws-api-limits.max-item-size");
        }
        limits.alsoKnown("max-batch-get", "max-batch-write").rejectUnknown();
        return settings;
    }

    private static int size(SettingsReader reader, String key) {
        long bytes = reader.bytes(key);
        if (bytes == 0) {
            throw reader.invalid(key, "is 0 bytes, but must be more");
        }
        if (bytes > MAX_ARRAY) {
            throw reader.invalid(key, "is " + bytes + " bytes, but must be less than 2 GiB");
        }
        return (int) bytes;
    }
}
