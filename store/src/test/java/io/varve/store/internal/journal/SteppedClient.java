package io.varve.store.internal.journal;

import io.varve.store.internal.async.Causes;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchWriteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.BatchWriteItemResponse;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbRequest;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.QueryResponse;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/**
 * Clients whose requests wait, so that a test decides when each of them takes effect, when it is answered, and whether it is at
 * all. All happens on the thread that calls {@link #step}, so a seed gives one order.
 *
 * <p>A page of a query is no snapshot: it is read twice, at two moments, and each item of it comes from either. Of a batch, any part is
 * processed.
 */
final class SteppedClient {
    private static final double REFUSED = 0.02;
    private static final double LOST = 0.03;
    private static final double TORN = 0.5;
    private static final double HALF = 0.3;

    private final DynamoDbAsyncClient direct;
    private final Random random;
    private final List<Request> underWay = new ArrayList<>();
    private final List<String> log = new ArrayList<>();
    private boolean faults = true;
    private int sent;

    SteppedClient(DynamoDbAsyncClient direct, Random random) {
        this.direct = direct;
        this.random = random;
    }

    /** A client of a node's own; its requests wait among those of the others. */
    DynamoDbAsyncClient client(String node) {
        return (DynamoDbAsyncClient) Proxy.newProxyInstance(
                SteppedClient.class.getClassLoader(),
                new Class<?>[] {DynamoDbAsyncClient.class},
                (proxy, method, args) -> args != null && args.length == 1 && args[0] instanceof DynamoDbRequest request
                        ? sent(node, method, request)
                        : invoke(method, args));
    }

    private CompletableFuture<Object> sent(String node, Method method, DynamoDbRequest asked) {
        Request request = new Request(node + "#" + sent++ + " " + method.getName(), method, asked);
        underWay.add(request);
        log.add(request.name + " sent");
        return request.promise;
    }

    private @Nullable Object invoke(Method method, Object @Nullable [] args) throws Throwable {
        try {
            return method.invoke(direct, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    boolean isIdle() {
        return underWay.isEmpty();
    }

    /** From now on every request is carried out and answered. */
    void withoutFaults() {
        faults = false;
    }

    /** What has happened so far, for the message of a failed test. */
    List<String> log() {
        return log;
    }

    void note(String what) {
        log.add(what);
    }

    /** One of the waiting requests goes one step further. */
    void step() {
        underWay.get(random.nextInt(underWay.size())).step();
    }

    private final class Request {
        private final String name;
        private final Method method;
        private final DynamoDbRequest asked;
        private final CompletableFuture<Object> promise = new CompletableFuture<>();
        private @Nullable QueryResponse firstRead;
        private @Nullable Object answer;
        private @Nullable Throwable error;

        Request(String name, Method method, DynamoDbRequest asked) {
            this.name = name;
            this.method = method;
            this.asked = asked;
        }

        void step() {
            if (answer != null || error != null) {
                end();
            } else if (firstRead == null && happens(REFUSED)) {
                error = new IOException("refused before it took effect");
                end();
            } else {
                carryOut();
            }
        }

        private void carryOut() {
            try {
                Object found = asked instanceof BatchWriteItemRequest batch && happens(HALF)
                        ? someOf(batch)
                        : ((CompletableFuture<?>) method.invoke(direct, asked)).join();
                if (firstRead == null && isPage(found) && happens(TORN)) {
                    firstRead = (QueryResponse) found;
                    log.add(name + " read for the first time");
                    return;
                }
                answer = firstRead == null ? found : torn(firstRead, (QueryResponse) found);
                log.add(name + " took effect");
            } catch (CompletionException e) {
                error = Causes.unwrap(e);
                log.add(name + " failed: " + error.getClass().getSimpleName());
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }

        /** Processes a part of a batch, in no order, and sends the rest back. */
        private BatchWriteItemResponse someOf(BatchWriteItemRequest batch) {
            Map<String, List<WriteRequest>> processed = new HashMap<>();
            Map<String, List<WriteRequest>> unprocessed = new HashMap<>();
            batch.requestItems().forEach((table, writes) -> {
                List<WriteRequest> mixed = new ArrayList<>(writes);
                Collections.shuffle(mixed, random);
                int cut = random.nextInt(mixed.size() + 1);
                processed.put(table, mixed.subList(0, cut));
                unprocessed.put(table, mixed.subList(cut, mixed.size()));
            });
            processed.values().removeIf(List::isEmpty);
            unprocessed.values().removeIf(List::isEmpty);
            if (!processed.isEmpty()) {
                direct.batchWriteItem(request -> request.requestItems(processed))
                        .join();
            }
            return BatchWriteItemResponse.builder()
                    .unprocessedItems(unprocessed)
                    .build();
        }

        private void end() {
            underWay.remove(this);
            if (error == null && happens(LOST)) {
                error = new IOException("the answer was lost");
            }
            log.add(name + (error == null ? " answered" : " ended: " + error.getMessage()));
            if (error != null) {
                promise.completeExceptionally(error);
            } else {
                promise.complete(answer);
            }
        }

        private boolean isPage(Object found) {
            return found instanceof QueryResponse page
                    && !page.hasLastEvaluatedKey()
                    && ((QueryRequest) asked).limit() == null;
        }

        private QueryResponse torn(QueryResponse first, QueryResponse second) {
            if (!isPage(second)) {
                return second;
            }
            Map<Integer, Map<String, AttributeValue>> before = byNumber(first);
            Map<Integer, Map<String, AttributeValue>> after = byNumber(second);
            Set<Integer> numbers = new HashSet<>(before.keySet());
            numbers.addAll(after.keySet());
            Map<Integer, Map<String, AttributeValue>> page = new TreeMap<>();
            for (int number : numbers.stream().sorted().toList()) {
                Map<String, AttributeValue> item = (random.nextBoolean() ? before : after).get(number);
                if (item != null) {
                    page.put(number, item);
                }
            }
            List<Map<String, AttributeValue>> items = new ArrayList<>(page.values());
            if (Boolean.FALSE.equals(((QueryRequest) asked).scanIndexForward())) {
                Collections.reverse(items);
            }
            return second.toBuilder()
                    .items(items)
                    .count(items.size())
                    .scannedCount(items.size())
                    .build();
        }
    }

    private static Map<Integer, Map<String, AttributeValue>> byNumber(QueryResponse page) {
        Map<Integer, Map<String, AttributeValue>> items = new HashMap<>();
        page.items()
                .forEach(item -> items.put(
                        Integer.parseInt(Objects.requireNonNull(item.get("num")).n()), item));
        return items;
    }

    private boolean happens(double chance) {
        return faults && random.nextDouble() < chance;
    }
}
