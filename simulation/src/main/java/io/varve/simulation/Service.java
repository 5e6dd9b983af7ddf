package io.varve.simulation;

import io.varve.simulation.model.Engine;
import io.varve.simulation.model.Partitions;
import java.util.HashSet;
import java.util.Set;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.BatchWriteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.BatchWriteItemResponse;
import software.amazon.awssdk.services.dynamodb.model.DeleteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.DeleteItemResponse;
import software.amazon.awssdk.services.dynamodb.model.DescribeTableRequest;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbRequest;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbResponse;
import software.amazon.awssdk.services.dynamodb.model.GetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.PutItemResponse;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsResponse;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemResponse;

/** DynamoDB as it treats a request that has arrived: what its partitions take, what is in progress, and what it leaves undone. */
final class Service {
    private final World world;
    private final Engine engine;
    private final Faults faults;
    private final Partitions partitions;
    private final Set<String> inProgress = new HashSet<>();
    private int splits;

    Service(World world, Engine engine, Faults faults, Partitions partitions) {
        this.world = world;
        this.engine = engine;
        this.faults = faults;
        this.partitions = partitions;
    }

    Engine engine() {
        return engine;
    }

    boolean hasCapacity(DynamoDbRequest request) {
        boolean has = request instanceof QueryRequest query
                ? partitions.admitsRead(query.tableName(), String.valueOf(query.indexName()), world.now())
                : partitions.admitsWrite(request, world.now());
        if (partitions.splits() > splits) {
            splits = partitions.splits();
            world.note(() -> "a partition is split");
            world.met(Rare.PARTITION_SPLIT);
        }
        return has;
    }

    /** A query has read so many bytes. */
    void read(QueryRequest query, int bytes) {
        partitions.read(query.tableName(), String.valueOf(query.indexName()), bytes);
    }

    boolean isInProgress(DynamoDbRequest request) {
        return request instanceof TransactWriteItemsRequest transaction
                && transaction.clientRequestToken() != null
                && inProgress.contains(transaction.clientRequestToken());
    }

    /** The transaction takes some time; the same one again is told so. */
    void progressSlowly(TransactWriteItemsRequest transaction, Runnable takeEffect) {
        String token = String.valueOf(transaction.clientRequestToken());
        inProgress.add(token);
        world.after(faults.late(), () -> {
            inProgress.remove(token);
            takeEffect.run();
        });
    }

    /** Does all of it at once, as far as it does it. */
    DynamoDbResponse carryOut(DynamoDbRequest request) {
        if (request instanceof GetItemRequest get) {
            return engine.getItem(get);
        } else if (request instanceof DescribeTableRequest describe) {
            return engine.describeTable(describe);
        } else if (request instanceof PutItemRequest put) {
            engine.putItem(put);
            return PutItemResponse.builder().build();
        } else if (request instanceof UpdateItemRequest update) {
            engine.updateItem(update);
            return UpdateItemResponse.builder().build();
        } else if (request instanceof DeleteItemRequest delete) {
            engine.deleteItem(delete);
            return DeleteItemResponse.builder().build();
        } else if (request instanceof TransactWriteItemsRequest transaction) {
            engine.transactWriteItems(transaction);
            return TransactWriteItemsResponse.builder().build();
        } else if (request instanceof BatchWriteItemRequest batch) {
            return write(batch);
        } else if (request instanceof BatchGetItemRequest batch) {
            return get(batch);
        }
        throw new UnsupportedOperationException(request.getClass().getSimpleName());
    }

    private BatchWriteItemResponse write(BatchWriteItemRequest batch) {
        BatchWriteItemResponse response = engine.batchWriteItem(batch, write -> !faults.happens(Feature.UNPROCESSED));
        if (!response.unprocessedItems().isEmpty()) {
            world.met(Rare.BATCH_HALF_PROCESSED);
        }
        return response;
    }

    private BatchGetItemResponse get(BatchGetItemRequest batch) {
        BatchGetItemResponse response = engine.batchGetItem(batch, key -> !faults.happens(Feature.UNPROCESSED));
        if (!response.unprocessedKeys().isEmpty()) {
            world.met(Rare.KEYS_UNPROCESSED);
        }
        return response;
    }
}
