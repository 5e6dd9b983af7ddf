package io.varve.store.internal.journal;

import io.varve.store.Slices;
import io.varve.store.internal.append.AtomicWrites;
import io.varve.store.internal.layout.ItemSize;
import io.varve.store.internal.layout.JournalMeta;
import io.varve.store.internal.settings.SettingsReader;
import io.varve.store.table.TableDefinition;
import java.time.Duration;
import java.util.OptionalInt;

/**
 * How a journal is stored.
 *
 * @param sequenceShards absent for {@code auto}
 * @param joinWritesFrom how many writes of an entity must wait together to share transactions
 * @param checkWriterAfter the pause after which a writer looks whether another one has been there
 */
public record EventStoreSettings(
        String table,
        String journalName,
        OptionalInt sequenceShards,
        boolean sliceIndex,
        int indexShards,
        AtomicWrites atomicWrites,
        int joinWritesFrom,
        int maxItemSize,
        int replayParallelism,
        int deleteParallelism,
        boolean highDistrust,
        Duration checkWriterAfter) {

    /** Reads a section of the shape of {@code dynamodb-journal}; its other keys are the plugin's. */
    public static EventStoreSettings from(SettingsReader reader) {
        SettingsReader sliceIndex = reader.section("slice-index");
        SettingsReader limits = reader.section("aws-api-limits");
        SettingsReader fixes = reader.section("fixes");
        EventStoreSettings settings = new EventStoreSettings(
                reader.parsed("journal-table", TableDefinition::checkName),
                reader.nonEmpty("journal-name"),
                reader.parsed("sequence-shards", EventStoreSettings::sequenceShards),
                sliceIndex.flag("enabled"),
                sliceIndex.parsed("shards", EventStoreSettings::indexShards),
                reader.oneOf("atomic-writes", AtomicWrites.class),
                joinWritesFrom(reader),
                limits.integer("max-item-size", 1, ItemSize.MAX),
                reader.integer("replay-parallelism", 1, 1_000),
                reader.integer("delete-parallelism", 1, 1_000),
                fixes.flag("high-distrust"),
                reader.duration("check-writer-after"));
        sliceIndex.rejectUnknown();
        limits.alsoKnown("max-batch-get", "max-batch-write").rejectUnknown();
        fixes.rejectUnknown();
        return settings;
    }

    private static int joinWritesFrom(SettingsReader reader) {
        String key = "join-writes-from";
        return reader.isWord(key, "off", "false") ? Integer.MAX_VALUE : reader.integer(key, 2, Integer.MAX_VALUE);
    }

    private static OptionalInt sequenceShards(String text) {
        if (text.trim().equalsIgnoreCase("auto")) {
            return OptionalInt.empty();
        }
        try {
            int shards = Integer.parseInt(text.trim());
            if (shards >= 1 && shards <= JournalMeta.MAX_SEQUENCE_SHARDS) {
                return OptionalInt.of(shards);
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new IllegalArgumentException(
                "is " + text + ", but must be auto or a whole number from 1 to " + JournalMeta.MAX_SEQUENCE_SHARDS);
    }

    private static int indexShards(String text) {
        try {
            return Slices.checkIndexShards(Integer.parseInt(text));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("is '" + text + "', but must be a whole number", e);
        }
    }
}
