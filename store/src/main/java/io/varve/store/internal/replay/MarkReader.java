package io.varve.store.internal.replay;

import io.varve.store.internal.client.Budget;
import io.varve.store.internal.layout.Item;
import io.varve.store.internal.table.JournalTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Reads the marks of entities, consistently; fails rather than guess if any shard cannot be read. */
public final class MarkReader {
    private final JournalTable table;

    /** A reader of a table's marks. */
    public MarkReader(JournalTable table) {
        this.table = table;
    }

    /** The marks of an entity. */
    public CompletionStage<Marks> read(String persistenceId, Budget budget) {
        return read(persistenceId, true, budget);
    }

    /** The low marks of an entity alone. */
    public CompletionStage<Marks> readLow(String persistenceId, Budget budget) {
        return read(persistenceId, false, budget);
    }

    private CompletionStage<Marks> read(String persistenceId, boolean high, Budget budget) {
        List<Map<String, AttributeValue>> keys = new ArrayList<>(2 * table.sequenceShards());
        for (int shard = 0; shard < table.sequenceShards(); shard++) {
            if (high) {
                keys.add(table.keys().highKey(persistenceId, shard));
            }
            keys.add(table.keys().lowKey(persistenceId, shard));
        }
        return table.gateway()
                .batchGet(table.name(), keys, true, budget)
                .thenApply(items -> Marks.of(
                        table.keys(),
                        items.stream().map(item -> new Item(table.name(), item)).toList()));
    }
}
