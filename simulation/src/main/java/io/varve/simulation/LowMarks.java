package io.varve.simulation;

import io.varve.store.internal.layout.Attributes;
import io.varve.store.internal.layout.JournalKeys;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Tells entities when DynamoDB has stored that their events are deleted up to a number. */
final class LowMarks {
    private final Map<String, EntityTruth> entities = new HashMap<>();

    LowMarks(List<EntityTruth> all, int shards) {
        JournalKeys keys = new JournalKeys(ServiceNode.NAME);
        for (EntityTruth entity : all) {
            for (int shard = 0; shard < shards; shard++) {
                entities.put(partition(keys.lowKey(entity.entity(), shard)), entity);
            }
        }
    }

    private static String partition(Map<String, AttributeValue> item) {
        AttributeValue partition = item.get(Attributes.PARTITION);
        return partition == null ? "" : partition.s();
    }

    void stored(String table, Map<String, AttributeValue> item) {
        AttributeValue low = item.get(Attributes.SEQUENCE_NUMBER);
        if (table.equals(ServiceNode.JOURNAL) && low != null && item.containsKey(Attributes.DELETE_FROM)) {
            EntityTruth entity = entities.get(partition(item));
            if (entity != null) {
                entity.decidedToDelete(Long.parseLong(low.n()) - 1);
            }
        }
    }
}
