package io.varve.store.internal.delete;

import io.varve.store.internal.layout.JournalKeys;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.PrimitiveIterator;
import java.util.stream.LongStream;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/** The batches that delete events, made one by one: they may be many. */
final class DeleteBatches implements Iterator<List<WriteRequest>> {
    private static final int BATCH = 25;

    private final JournalKeys keys;
    private final String persistenceId;
    private final PrimitiveIterator.OfLong numbers;

    DeleteBatches(JournalKeys keys, String persistenceId, LongStream numbers) {
        this.keys = keys;
        this.persistenceId = persistenceId;
        this.numbers = numbers.iterator();
    }

    @Override
    public boolean hasNext() {
        return numbers.hasNext();
    }

    @Override
    public List<WriteRequest> next() {
        List<WriteRequest> batch = new ArrayList<>(BATCH);
        while (numbers.hasNext() && batch.size() < BATCH) {
            batch.add(deletion(keys, persistenceId, numbers.nextLong()));
        }
        return batch;
    }

    /** The request for one event. */
    static WriteRequest deletion(JournalKeys keys, String persistenceId, long sequenceNumber) {
        Map<String, AttributeValue> key = keys.eventKey(persistenceId, sequenceNumber);
        return WriteRequest.builder().deleteRequest(delete -> delete.key(key)).build();
    }
}
