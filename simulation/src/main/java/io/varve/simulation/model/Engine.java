package io.varve.simulation.model;

import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.BatchWriteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.BatchWriteItemResponse;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;
import software.amazon.awssdk.services.dynamodb.model.DeleteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.DescribeTableRequest;
import software.amazon.awssdk.services.dynamodb.model.DescribeTableResponse;
import software.amazon.awssdk.services.dynamodb.model.GetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.GetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.LocalSecondaryIndexDescription;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.ScanRequest;
import software.amazon.awssdk.services.dynamodb.model.TableStatus;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsRequest;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/** What requests do to the tables. Each call takes effect at once and as a whole. */
public final class Engine {
    /** Decides when an index learns of a change; the change is to be run once, after earlier ones of the same item. */
    public interface Indexing {
        /** Indexes that are always up to date. */
        Indexing AT_ONCE = (index, key, item, change) -> change.run();

        /** An index of a table is to learn that an item is now this one, or none. */
        void changed(String index, Object key, @Nullable Map<String, AttributeValue> item, Runnable change);
    }

    private final Storage tables;
    private final TransactionRequests transactions;
    private final BatchedRequests batches;

    public Engine(Indexing indexing) {
        this.tables = new Storage(indexing);
        this.transactions = new TransactionRequests(tables);
        this.batches = new BatchedRequests(tables);
    }

    /** From now on hears of each item that is stored, and in which table. */
    public void listen(BiConsumer<String, Map<String, AttributeValue>> listener) {
        tables.listen(listener);
    }

    public void createTable(CreateTableRequest definition) {
        tables.create(definition);
    }

    /** The keys and local indexes of a table. */
    public DescribeTableResponse describeTable(DescribeTableRequest request) {
        CreateTableRequest definition = tables.table(request.tableName()).definition();
        return DescribeTableResponse.builder()
                .table(description -> description
                        .tableName(definition.tableName())
                        .tableStatus(TableStatus.ACTIVE)
                        .keySchema(definition.keySchema())
                        .localSecondaryIndexes(definition.localSecondaryIndexes().stream()
                                .map(index -> LocalSecondaryIndexDescription.builder()
                                        .indexName(index.indexName())
                                        .keySchema(index.keySchema())
                                        .projection(index.projection())
                                        .build())
                                .toList()))
                .build();
    }

    /** All items of a table, in the order of their keys. */
    public List<Map<String, AttributeValue>> items(String table) {
        return tables.table(table).items().values().stream()
                .map(StoredItem::attributes)
                .toList();
    }

    public GetItemResponse getItem(GetItemRequest request) {
        Table table = tables.table(request.tableName());
        @Nullable StoredItem item = table.items().get(table.exactKey(request.key()));
        GetItemResponse.Builder response = GetItemResponse.builder();
        if (item != null) {
            response.item(Projection.of(request.projectionExpression(), request.expressionAttributeNames())
                    .of(item.attributes()));
        }
        return response.build();
    }

    /** The beginning of a page; its driver reads it item by item. */
    public Read query(QueryRequest request) {
        return Read.query(tables.table(request.tableName()), request);
    }

    /** The beginning of a page; its driver reads it item by item. */
    public Read scan(ScanRequest request) {
        return Read.scan(tables.table(request.tableName()), request);
    }

    public void putItem(PutItemRequest request) {
        single(Write.of(tables, request));
    }

    public void deleteItem(DeleteItemRequest request) {
        single(Write.of(tables, request));
    }

    public void updateItem(UpdateItemRequest request) {
        single(Write.of(tables, request));
    }

    private void single(Write write) {
        @Nullable Map<String, AttributeValue> inTheWay = write.inTheWay();
        if (inTheWay != null) {
            throw Errors.condition(write.returnsOld(), inTheWay);
        }
        tables.store(write.table(), write.key(), write.after());
    }

    /**
     * Time to live: removes items of a table whose attribute says that they have expired by then, in seconds since 1970. DynamoDB does
     * so at any time after that, for some items sooner than for others, which the driver decides.
     *
     * @return how many were removed
     */
    public int removeExpired(
            String tableName, String attribute, long now, Predicate<Map<String, AttributeValue>> isItsTurn) {
        Table table = tables.table(tableName);
        List<Key> expired = table.items().entrySet().stream()
                .filter(entry -> isExpired(entry.getValue().attributes().get(attribute), now))
                .filter(entry -> isItsTurn.test(entry.getValue().attributes()))
                .map(Map.Entry::getKey)
                .toList();
        expired.forEach(key -> tables.store(table, key, null));
        return expired.size();
    }

    private static boolean isExpired(@Nullable AttributeValue expiry, long now) {
        return expiry != null && expiry.n() != null && Long.parseLong(expiry.n()) < now;
    }

    /** All or nothing; the same token again changes nothing. */
    public void transactWriteItems(TransactWriteItemsRequest request) {
        transactions.write(request);
    }

    /** Writes those items that the driver lets through; the others come back unprocessed. */
    public BatchWriteItemResponse batchWriteItem(BatchWriteItemRequest request, Predicate<WriteRequest> letThrough) {
        return batches.write(request, letThrough);
    }

    /** Reads those items that the driver lets through; the others come back unprocessed. */
    public BatchGetItemResponse batchGetItem(
            BatchGetItemRequest request, Predicate<Map<String, AttributeValue>> letThrough) {
        return batches.read(request, letThrough);
    }
}
