package io.varve.simulation.model;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.BatchWriteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.BatchWriteItemResponse;
import software.amazon.awssdk.services.dynamodb.model.KeysAndAttributes;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/** Several writes or reads in one request, each for itself; what the driver does not let through comes back. */
final class BatchedRequests {
    private static final int MAX_WRITES = 25;
    private static final int MAX_READS = 100;

    private final Storage tables;

    BatchedRequests(Storage tables) {
        this.tables = tables;
    }

    BatchWriteItemResponse write(BatchWriteItemRequest request, Predicate<WriteRequest> letThrough) {
        Map<String, List<WriteRequest>> left = new LinkedHashMap<>();
        List<Runnable> writes = new ArrayList<>();
        int count = 0;
        Set<Map.Entry<String, Key>> keys = new HashSet<>();
        for (Map.Entry<String, List<WriteRequest>> ofTable :
                request.requestItems().entrySet()) {
            Table table = tables.table(ofTable.getKey());
            for (WriteRequest write : ofTable.getValue()) {
                count++;
                boolean put = write.putRequest() != null;
                Key key = put
                        ? table.keyOf(write.putRequest().item())
                        : table.exactKey(write.deleteRequest().key());
                if (!keys.add(Map.entry(table.name(), key))) {
                    throw Errors.validation("Provided list of item keys contains duplicates");
                }
                @Nullable
                StoredItem item =
                        put ? Storage.checked(table, key, write.putRequest().item()) : null;
                if (letThrough.test(write)) {
                    writes.add(() -> tables.store(table, key, item));
                } else {
                    left.computeIfAbsent(table.name(), name -> new ArrayList<>())
                            .add(write);
                }
            }
        }
        if (count == 0 || count > MAX_WRITES) {
            throw Errors.validation("Too many items requested for the BatchWriteItem call");
        }
        writes.forEach(Runnable::run);
        return BatchWriteItemResponse.builder().unprocessedItems(left).build();
    }

    BatchGetItemResponse read(BatchGetItemRequest request, Predicate<Map<String, AttributeValue>> letThrough) {
        Map<String, List<Map<String, AttributeValue>>> found = new LinkedHashMap<>();
        Map<String, KeysAndAttributes> left = new LinkedHashMap<>();
        int count = 0;
        for (Map.Entry<String, KeysAndAttributes> ofTable :
                request.requestItems().entrySet()) {
            Table table = tables.table(ofTable.getKey());
            KeysAndAttributes wanted = ofTable.getValue();
            Projection projection = Projection.of(wanted.projectionExpression(), wanted.expressionAttributeNames());
            List<Map<String, AttributeValue>> items = new ArrayList<>();
            List<Map<String, AttributeValue>> unprocessed = new ArrayList<>();
            Set<Key> keys = new HashSet<>();
            for (Map<String, AttributeValue> given : wanted.keys()) {
                count++;
                Key key = table.exactKey(given);
                if (!keys.add(key)) {
                    throw Errors.validation("Provided list of item keys contains duplicates");
                }
                if (!letThrough.test(given)) {
                    unprocessed.add(given);
                    continue;
                }
                @Nullable StoredItem item = table.items().get(key);
                if (item != null) {
                    items.add(projection.of(item.attributes()));
                }
            }
            found.put(table.name(), items);
            if (!unprocessed.isEmpty()) {
                left.put(table.name(), wanted.toBuilder().keys(unprocessed).build());
            }
        }
        if (count == 0 || count > MAX_READS) {
            throw Errors.validation("Too many items requested for the BatchGetItem call");
        }
        return BatchGetItemResponse.builder()
                .responses(found)
                .unprocessedKeys(left)
                .build();
    }
}
