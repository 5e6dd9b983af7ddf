package io.varve.benchmark.cost;

import io.varve.testkit.internal.capacity.ItemBytes;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ScanRequest;

/** The bytes of stored items, and what AWS's rules make of them. */
record StoredBytes(DynamoDbAsyncClient client) {
    private static final double READ_UNIT = 4096;

    /** Read units of one consistent query that returns all items whose partition key begins like this. */
    double readUnits(String table, String prefix) {
        return Math.max(
                1,
                Math.ceil(sizes(table, prefix).stream().mapToInt(size -> size).sum() / READ_UNIT));
    }

    private List<Integer> sizes(String table, String prefix) {
        ScanRequest scan = ScanRequest.builder()
                .tableName(table)
                .filterExpression("begins_with(par, :prefix)")
                .expressionAttributeValues(Map.of(":prefix", AttributeValue.fromS(prefix)))
                .build();
        List<Integer> sizes = new CopyOnWriteArrayList<>();
        client.scanPaginator(scan)
                .items()
                .subscribe(item -> sizes.add(ItemBytes.of(item)))
                .join();
        return sizes;
    }
}
