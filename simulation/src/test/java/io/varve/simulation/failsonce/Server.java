package io.varve.simulation.failsonce;

import io.varve.simulation.model.Engine;
import io.varve.simulation.model.Read;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.BatchWriteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.DeleteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.DeleteItemResponse;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbRequest;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbResponse;
import software.amazon.awssdk.services.dynamodb.model.GetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.PutItemResponse;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.ScanRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsResponse;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemResponse;

/** The modelled DynamoDB with all its requests, on one thread at a time. Its data outlives the processes. */
public final class Server {
    private final Engine engine = new Engine(Engine.Indexing.AT_ONCE);
    private final TableRequests tables = new TableRequests(engine);
    private final Map<CompletableFuture<Void>, BooleanSupplier> awaited = new HashMap<>();

    /** The requests about tables, and what came of them. */
    public TableRequests tables() {
        return tables;
    }

    /** All items of a table; none if there is no such table. */
    public synchronized List<Map<String, AttributeValue>> items(String table) {
        return tables.exists(table) ? engine.items(table) : List.of();
    }

    /** All items of all tables: what reads must not change. */
    public synchronized Map<String, List<Map<String, AttributeValue>>> content() {
        Map<String, List<Map<String, AttributeValue>>> content = new TreeMap<>();
        tables.names().forEach(name -> content.put(name, engine.items(name)));
        return content;
    }

    /** Done as soon as something is so, which only requests change. */
    public synchronized CompletableFuture<Void> until(BooleanSupplier condition) {
        CompletableFuture<Void> reached = new CompletableFuture<>();
        awaited.put(reached, condition);
        look();
        return reached;
    }

    private void look() {
        awaited.entrySet().removeIf(entry -> {
            boolean reached = entry.getValue().getAsBoolean();
            if (reached) {
                entry.getKey().completeAsync(() -> null);
            }
            return reached;
        });
    }

    /** Carries a request out; of a batch, those parts whose place fits. */
    synchronized DynamoDbResponse carryOut(DynamoDbRequest request, IntPredicate places) {
        DynamoDbResponse response = answer(request, places);
        look();
        return response;
    }

    private DynamoDbResponse answer(DynamoDbRequest request, IntPredicate places) {
        AtomicInteger parts = new AtomicInteger();
        if (request instanceof QueryRequest query) {
            return whole(engine.query(query)).queryResponse();
        } else if (request instanceof ScanRequest scan) {
            return whole(engine.scan(scan)).scanResponse();
        } else if (request instanceof GetItemRequest get) {
            return engine.getItem(get);
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
            return engine.batchWriteItem(batch, write -> places.test(parts.getAndIncrement()));
        } else if (request instanceof BatchGetItemRequest batch) {
            return engine.batchGetItem(batch, key -> places.test(parts.getAndIncrement()));
        }
        Optional<DynamoDbResponse> answer = tables.carryOut(request);
        return answer.orElseThrow(() -> new UnsupportedOperationException(request.toString()));
    }

    private static Read whole(Read page) {
        boolean more = true;
        while (more) {
            more = page.step();
        }
        return page;
    }
}
