package io.varve.store.internal.layout;

import java.util.HashMap;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;

/** The item that keeps an entity listed which has no event 1 (deleted, or rejected). */
public final class StandIn {
    private StandIn() {}

    /** The request that puts the item for an entity. */
    public static PutItemRequest put(String table, JournalKeys keys, String persistenceId) {
        return PutItemRequest.builder()
                .tableName(table)
                .item(encode(keys, persistenceId))
                .build();
    }

    /** The item for an entity. */
    public static Map<String, AttributeValue> encode(JournalKeys keys, String persistenceId) {
        Map<String, AttributeValue> item = new HashMap<>(keys.standInKey(persistenceId));
        item.put(Attributes.PERSISTENCE_ID, AttributeValue.fromS(persistenceId));
        item.put(Attributes.PERSISTENCE_ID_BUCKET, AttributeValue.fromS(keys.bucket(persistenceId)));
        return item;
    }
}
