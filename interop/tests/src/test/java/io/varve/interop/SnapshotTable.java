package io.varve.interop;

import io.varve.store.table.Tables;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.PredecessorTables;
import io.varve.testkit.TableNames;
import java.net.URI;
import java.util.Map;
import java.util.TreeMap;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;
import software.amazon.awssdk.services.dynamodb.model.ScanRequest;

/** A snapshot table on DynamoDB Local with its raw items, which are named {@code par/seq} here. */
record SnapshotTable(String name, URI endpoint, DynamoDbAsyncClient client) {

    /** A new table whose local index holds what the projection says: ALL as the predecessor's users have it, else as Varve's. */
    static SnapshotTable create(DynamoDBLocal local, DynamoDbAsyncClient client, ProjectionType projection) {
        String name = TableNames.fresh().snapshots();
        if (projection == ProjectionType.KEYS_ONLY) {
            JournalTable.create(client, Tables.snapshots(name));
        } else {
            PredecessorTables.createSnapshots(client, name);
        }
        return new SnapshotTable(name, local.endpoint(), client);
    }

    /** All items, sorted by their names. */
    Map<String, Map<String, AttributeValue>> items() {
        Map<String, Map<String, AttributeValue>> items = new TreeMap<>();
        client.scanPaginator(ScanRequest.builder()
                        .tableName(name)
                        .consistentRead(true)
                        .build())
                .items()
                .subscribe(item -> items.put(
                        JournalTable.value(item, "par").s() + "/"
                                + JournalTable.value(item, "seq").n(),
                        item))
                .join();
        return items;
    }

    void put(Map<String, AttributeValue> item) {
        client.putItem(request -> request.tableName(name).item(item)).join();
    }
}
