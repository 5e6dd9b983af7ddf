package io.varve.store.layout;

import java.util.HashMap;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** The item that keeps an entity listed which has no event 1 (deleted, or rejected). */
public final class StandIn {
    private StandIn() {}

    /** The item for an entity. */
    public static Map<String, AttributeValue> encode(JournalKeys keys, String persistenceId) {
        Map<String, AttributeValue> item = new HashMap<>(keys.standInKey(persistenceId));
        item.put(Attributes.PERSISTENCE_ID, AttributeValue.fromS(persistenceId));
        item.put(Attributes.PERSISTENCE_ID_BUCKET, AttributeValue.fromS(keys.bucket(persistenceId)));
        return item;
    }
}
