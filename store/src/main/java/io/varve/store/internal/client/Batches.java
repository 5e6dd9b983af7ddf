package io.varve.store.internal.client;

import io.varve.store.FailureKind;
import io.varve.store.StoreException;
import io.varve.store.internal.async.Causes;
import io.varve.store.internal.async.Concurrently;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.BatchWriteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbRequest;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbResponse;
import software.amazon.awssdk.services.dynamodb.model.KeysAndAttributes;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/** Batch requests: cut to DynamoDB's size, a few at a time, each repeated until nothing of it is left unprocessed. */
final class Batches {
    private static final int MAX_WRITE = 25;
    private static final int MAX_GET = 100;

    private final Gateway gateway;
    private final Budget budget;

    Batches(Gateway gateway, Budget budget) {
        this.gateway = gateway;
        this.budget = budget;
    }

    CompletionStage<Void> write(String table, List<WriteRequest> writes) {
        return Concurrently.run(
                chunks(writes, MAX_WRITE),
                gateway.settings().batchParallelism(),
                chunk -> writeUntilDone(table, chunk, 0));
    }

    CompletionStage<List<Map<String, AttributeValue>>> get(
            String table, List<Map<String, AttributeValue>> keys, boolean consistent) {
        List<Map<String, AttributeValue>> found = Collections.synchronizedList(new ArrayList<>(keys.size()));
        return Concurrently.run(
                        chunks(keys, MAX_GET),
                        gateway.settings().batchParallelism(),
                        chunk -> getUntilDone(table, chunk, consistent, found, 0))
                .thenApply(done -> found);
    }

    private CompletionStage<Void> writeUntilDone(String table, List<WriteRequest> writes, int round) {
        BatchWriteItemRequest request = BatchWriteItemRequest.builder()
                .requestItems(Map.of(table, writes))
                .build();
        return send(Call.BATCH_WRITE_ITEM, request, table, writes.size(), round).thenCompose(response -> {
            List<WriteRequest> left = response.unprocessedItems().getOrDefault(table, List.of());
            int next = left.size() < writes.size() ? 1 : round + 1;
            return left.isEmpty()
                    ? done()
                    : again(Call.BATCH_WRITE_ITEM.name(), table, left, next, l -> writeUntilDone(table, l, next));
        });
    }

    private CompletionStage<Void> getUntilDone(
            String table,
            Collection<Map<String, AttributeValue>> keys,
            boolean consistent,
            List<Map<String, AttributeValue>> found,
            int round) {
        KeysAndAttributes asked = KeysAndAttributes.builder()
                .keys(keys)
                .consistentRead(consistent)
                .build();
        BatchGetItemRequest request =
                BatchGetItemRequest.builder().requestItems(Map.of(table, asked)).build();
        return send(Call.BATCH_GET_ITEM, request, table, keys.size(), round).thenCompose(response -> {
            found.addAll(response.responses().getOrDefault(table, List.of()));
            KeysAndAttributes unprocessed = response.unprocessedKeys().get(table);
            List<Map<String, AttributeValue>> left = unprocessed == null ? List.of() : unprocessed.keys();
            int next = left.size() < keys.size() ? 1 : round + 1;
            return left.isEmpty()
                    ? done()
                    : again(
                            Call.BATCH_GET_ITEM.name(),
                            table,
                            left,
                            next,
                            l -> getUntilDone(table, l, consistent, found, next));
        });
    }

    /** If the budget ends while what stayed unprocessed is sent again, that it stayed so is the reason. */
    private <Q extends DynamoDbRequest, R extends DynamoDbResponse> CompletionStage<R> send(
            Call<Q, R> call, Q request, String table, int items, int round) {
        return gateway.call(call, request, budget).exceptionally(thrown -> {
            if (round > 0
                    && Causes.unwrap(thrown) instanceof StoreException failed
                    && (failed.kind() == FailureKind.NO_ANSWER || failed.kind() == FailureKind.NOT_SENT)) {
                throw Translation.exception(call.name(), table, Failure.unprocessed(items), round, budget, true);
            }
            throw new CompletionException(Causes.unwrap(thrown));
        });
    }

    private <T> CompletionStage<Void> again(
            String operation, String table, List<T> left, int round, Function<List<T>, CompletionStage<Void>> send) {
        Duration delay = gateway.backoff(round);
        if (delay.compareTo(budget.left()) >= 0) {
            return CompletableFuture.failedFuture(
                    Translation.exception(operation, table, Failure.unprocessed(left.size()), round, budget, true));
        }
        return gateway.after(delay).thenCompose(waited -> send.apply(left));
    }

    private static CompletionStage<Void> done() {
        return CompletableFuture.completedFuture(null);
    }

    private static <T> List<List<T>> chunks(List<T> all, int size) {
        List<List<T>> chunks = new ArrayList<>((all.size() + size - 1) / size);
        for (int from = 0; from < all.size(); from += size) {
            chunks.add(all.subList(from, Math.min(all.size(), from + size)));
        }
        return chunks;
    }
}
