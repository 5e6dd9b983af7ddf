package io.varve.simulation;

import io.varve.simulation.model.Engine;
import io.varve.simulation.model.Partitions;
import io.varve.simulation.model.Read;
import io.varve.store.table.Tables;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbServiceClientConfiguration;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.BatchWriteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.BatchWriteItemResponse;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.DeleteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.DeleteItemResponse;
import software.amazon.awssdk.services.dynamodb.model.DescribeTableRequest;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbRequest;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbResponse;
import software.amazon.awssdk.services.dynamodb.model.GetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.GetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.InternalServerErrorException;
import software.amazon.awssdk.services.dynamodb.model.ProvisionedThroughputExceededException;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.PutItemResponse;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.QueryResponse;
import software.amazon.awssdk.services.dynamodb.model.ScanRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsResponse;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;
import software.amazon.awssdk.services.dynamodb.model.TransactionInProgressException;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemResponse;

/** The way between nodes and the modelled DynamoDB: requests and answers take time, change their order, or are lost. */
final class Network {
    private static final Duration BETWEEN_ITEMS = Duration.ofMillis(10);

    private final World world;
    private final Engine engine;
    private final Map<Object, Long> indexed = new HashMap<>();
    private final Visibility visibility = new Visibility();
    private final Partitions partitions;
    private final Set<String> inProgress = new HashSet<>();
    private int splits;
    private final Faults faults;
    private long sent;

    /** With partitions that take three times as many read units as write units. */
    Network(World world, Shape shape) {
        this.world = world;
        this.partitions = new Partitions(shape.writeUnits(), 3 * shape.writeUnits());
        this.faults = new Faults(world, shape.longestIndexLag());
        this.engine = new Engine(this::index);
    }

    /** What goes wrong on the way. */
    Faults faults() {
        return faults;
    }

    Engine engine() {
        return engine;
    }

    /** An index learns of a change later, and of the changes of one item in their order. */
    private void index(String index, Object key, @Nullable Map<String, AttributeValue> stored, Runnable change) {
        Map.Entry<String, Object> item = Map.entry(index, key);
        long due = Math.max(world.now() + faults.indexLag().toNanos(), indexed.getOrDefault(item, 0L) + 1);
        indexed.put(item, due);
        if (due - world.now() > Duration.ofSeconds(2).toNanos()) {
            world.met(Rare.INDEX_BEHIND_BY_SECONDS);
        }
        world.after(Duration.ofNanos(due - world.now()), () -> {
            change.run();
            if (index.equals(Tables.SLICE_INDEX) && stored != null) {
                visibility.appeared(stored, world.now());
            }
        });
    }

    /** When events have become visible in the index. */
    Visibility visibility() {
        return visibility;
    }

    /** A client as a node has it. */
    DynamoDbAsyncClient client(Node node) {
        return (DynamoDbAsyncClient) Proxy.newProxyInstance(
                Network.class.getClassLoader(), new Class<?>[] {DynamoDbAsyncClient.class}, (proxy, method, args) -> {
                    if (args != null && args.length == 1 && args[0] instanceof DynamoDbRequest request) {
                        return new Exchange(node, method.getName(), request).send();
                    }
                    return switch (method.getName()) {
                        case "serviceClientConfiguration" ->
                            DynamoDbServiceClientConfiguration.builder().build();
                        case "serviceName" -> "dynamodb";
                        case "toString" -> "client of " + node.name();
                        case "hashCode" -> System.identityHashCode(proxy);
                        case "equals" -> proxy == args[0];
                        case "close" -> null;
                        default -> throw new UnsupportedOperationException(method.getName());
                    };
                });
    }

    /** What a client is told when the other side does not answer. */
    private static final class LostConnection extends IOException {
        private static final long serialVersionUID = 1L;

        LostConnection() {
            super("connection reset");
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this; // many are lost, and nobody wants to know where
        }
    }

    /** A request with its answer. */
    private final class Exchange {
        private final Node node;
        private final String operation;
        private final long number;
        private final DynamoDbRequest request;
        private final CompletableFuture<DynamoDbResponse> answer = new CompletableFuture<>();

        Exchange(Node node, String operation, DynamoDbRequest request) {
            this.node = node;
            this.operation = operation;
            this.number = sent++;
            this.request = request;
        }

        private String name() {
            return node.name() + "#" + number + " " + operation;
        }

        CompletableFuture<DynamoDbResponse> send() {
            world.note(() -> name() + " " + RequestText.of(request));
            if (faults.happens(Feature.REQUESTS_LOST)) {
                world.note(() -> name() + " is lost");
                world.met(Rare.REQUEST_LOST);
                world.after(way(), () -> fail(new LostConnection()));
                return answer;
            }
            world.after(way(), this::arrive);
            return answer;
        }

        private Duration way() {
            return faults.way(node, isRead());
        }

        private void arrive() {
            if (faults.happens(Feature.SERVER_ERRORS)) {
                reply(InternalServerErrorException.builder()
                        .writableStackTrace(false)
                        .message("Internal server error")
                        .statusCode(500)
                        .build());
            } else if (faults.happens(Feature.THROTTLING)) {
                world.met(Rare.THROTTLED);
                reply(throttled());
            } else if (!hasCapacity()) {
                world.met(Rare.PARTITION_THROTTLED);
                reply(throttled());
            } else if (isInProgress()) {
                world.met(Rare.TRANSACTION_IN_PROGRESS);
                reply(TransactionInProgressException.builder()
                        .writableStackTrace(false)
                        .message("The transaction with the given request token is already in progress")
                        .statusCode(400)
                        .awsErrorDetails(AwsErrorDetails.builder()
                                .errorCode("TransactionInProgressException")
                                .build())
                        .build());
            } else if (request instanceof TransactWriteItemsRequest transaction
                    && faults.happens(Feature.TRANSACTION_CONFLICTS)) {
                world.met(Rare.TRANSACTION_CONFLICT);
                reply(conflict(transaction));
            } else if (request instanceof TransactWriteItemsRequest transaction
                    && faults.happens(Feature.WRITES_LATE)) {
                progressSlowly(transaction);
            } else {
                takeEffect();
            }
        }

        private boolean isRead() {
            return request instanceof QueryRequest
                    || request instanceof GetItemRequest
                    || request instanceof BatchGetItemRequest
                    || request instanceof ScanRequest;
        }

        private boolean hasCapacity() {
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

        private boolean isInProgress() {
            return request instanceof TransactWriteItemsRequest transaction
                    && transaction.clientRequestToken() != null
                    && inProgress.contains(transaction.clientRequestToken());
        }

        /** The transaction takes some time; the same one again is told so. */
        private void progressSlowly(TransactWriteItemsRequest transaction) {
            String token = String.valueOf(transaction.clientRequestToken());
            inProgress.add(token);
            world.after(faults.late(), () -> {
                inProgress.remove(token);
                takeEffect();
            });
        }

        private RuntimeException throttled() {
            return ProvisionedThroughputExceededException.builder()
                    .writableStackTrace(false)
                    .message("Throughput exceeds the current capacity of your table or index")
                    .statusCode(400)
                    .awsErrorDetails(AwsErrorDetails.builder()
                            .errorCode("ProvisionedThroughputExceededException")
                            .build())
                    .build();
        }

        private RuntimeException conflict(TransactWriteItemsRequest transaction) {
            int one = world.random().nextInt(transaction.transactItems().size());
            return TransactionCanceledException.builder()
                    .writableStackTrace(false)
                    .message("Transaction cancelled")
                    .statusCode(400)
                    .cancellationReasons(
                            IntStream.range(0, transaction.transactItems().size())
                                    .mapToObj(i -> CancellationReason.builder()
                                            .code(i == one ? "TransactionConflict" : "None")
                                            .build())
                                    .toList())
                    .build();
        }

        private void takeEffect() {
            if (!node.isAlive()) {
                world.met(Rare.REQUEST_OF_A_DEAD_NODE_ARRIVED);
            } else if (node.standsStill()) {
                world.met(Rare.NODE_STOOD_STILL_WITH_A_REQUEST_UNDER_WAY);
            }
            if (answer.isDone() && !isRead()) {
                world.met(Rare.WRITE_ARRIVED_AFTER_ITS_SENDER_GAVE_UP);
            }
            try {
                if (answer.isDone() && request instanceof TransactWriteItemsRequest) {
                    world.met(Rare.TRANSACTION_ARRIVED_LATE);
                }
                if (request instanceof QueryRequest query) {
                    page(engine.query(query), Read::queryResponse);
                } else if (request instanceof ScanRequest scan) {
                    page(engine.scan(scan), Read::scanResponse);
                } else {
                    DynamoDbResponse response = carryOut();
                    world.note(() -> name() + " took effect");
                    reply(response);
                }
            } catch (DynamoDbException e) {
                reply(e);
            }
        }

        private DynamoDbResponse carryOut() {
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
                BatchWriteItemResponse response =
                        engine.batchWriteItem(batch, write -> !faults.happens(Feature.UNPROCESSED));
                if (!response.unprocessedItems().isEmpty()) {
                    world.met(Rare.BATCH_HALF_PROCESSED);
                }
                return response;
            } else if (request instanceof BatchGetItemRequest batch) {
                BatchGetItemResponse response = engine.batchGetItem(batch, key -> !faults.happens(Feature.UNPROCESSED));
                if (!response.unprocessedKeys().isEmpty()) {
                    world.met(Rare.KEYS_UNPROCESSED);
                }
                return response;
            }
            throw new UnsupportedOperationException(name());
        }

        /** Reads a page, at once or with time between its items. */
        private void page(Read read, Function<Read, DynamoDbResponse> response) {
            boolean slowly = faults.happens(Feature.PAGES_TORN);
            while (read.step()) {
                if (slowly && world.happens(0.2)) {
                    world.met(Rare.PAGE_TORN);
                    world.after(world.about(BETWEEN_ITEMS), () -> page(read, response));
                    return;
                }
            }
            if (request instanceof QueryRequest query) {
                partitions.read(query.tableName(), String.valueOf(query.indexName()), read.bytes());
            }
            reply(response.apply(read));
        }

        private void reply(DynamoDbResponse response) {
            if (faults.happens(Feature.ANSWERS_LOST)) {
                world.note(() -> name() + ": its answer is lost");
                if (!(response instanceof QueryResponse || response instanceof GetItemResponse)) {
                    world.met(Rare.ANSWER_OF_A_WRITE_LOST);
                }
                world.after(way(), () -> fail(new LostConnection()));
            } else {
                world.after(
                        way(),
                        () -> node.execute(() -> {
                            world.note(() -> name() + " is answered");
                            answer.complete(response);
                        }));
            }
        }

        private void reply(RuntimeException error) {
            world.after(way(), () -> fail(error));
        }

        private void fail(Exception error) {
            node.execute(() -> {
                world.note(() -> name() + " fails: " + error.getClass().getSimpleName());
                answer.completeExceptionally(error);
            });
        }
    }
}
