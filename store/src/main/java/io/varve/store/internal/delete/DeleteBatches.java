package io.varve.store.internal.delete;

import io.varve.store.internal.layout.JournalKeys;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/** The batches that delete a range of events, made one by one: the range may be long. */
final class DeleteBatches implements Iterator<List<WriteRequest>> {
    private static final int BATCH = 25;

    private final JournalKeys keys;
    private final String persistenceId;
    private final long end;
    private long next;

    DeleteBatches(JournalKeys keys, String persistenceId, long begin, long end) {
        this.keys = keys;
        this.persistenceId = persistenceId;
        this.next = begin;
        this.end = end;
    }

    @Override
    public boolean hasNext() {
        return next <= end;
    }

    @Override
    public List<WriteRequest> next() {
        List<WriteRequest> batch = new ArrayList<>(BATCH);
        for (; next <= end && batch.size() < BATCH; next++) {
            batch.add(deletion(keys, persistenceId, next));
        }
        return batch;
    }

    /** The request for one event. */
    static WriteRequest deletion(JournalKeys keys, String persistenceId, long sequenceNumber) {
        Map<String, AttributeValue> key = keys.eventKey(persistenceId, sequenceNumber);
        return WriteRequest.builder().deleteRequest(delete -> delete.key(key)).build();
    }
}
