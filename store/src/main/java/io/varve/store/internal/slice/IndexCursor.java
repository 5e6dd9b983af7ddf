package io.varve.store.internal.slice;

import java.util.Map;
import java.util.Optional;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * Where reading a shard of the index goes on.
 *
 * @param timestamp the first timestamp to read
 * @param item the last item that was read; absent before the first one
 */
record IndexCursor(long timestamp, Optional<Map<String, AttributeValue>> item) {

    static IndexCursor at(long timestamp) {
        return new IndexCursor(timestamp, Optional.empty());
    }
}
