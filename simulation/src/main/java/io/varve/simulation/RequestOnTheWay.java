package io.varve.simulation;

import io.varve.simulation.model.Read;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbRequest;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbResponse;
import software.amazon.awssdk.services.dynamodb.model.GetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.GetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.QueryResponse;
import software.amazon.awssdk.services.dynamodb.model.ScanRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsRequest;

/** A request with its answer: on its way, in DynamoDB, and on its way back. */
final class RequestOnTheWay {
    private static final Duration BETWEEN_ITEMS = Duration.ofMillis(10);

    private final World world;
    private final Faults faults;
    private final Service service;
    private final Node node;
    private final String name;
    private final DynamoDbRequest request;
    private final CompletableFuture<DynamoDbResponse> answer = new CompletableFuture<>();

    /** One that is not sent yet; its name is for the log. */
    RequestOnTheWay(World world, Faults faults, Service service, Node node, String name, DynamoDbRequest request) {
        this.world = world;
        this.faults = faults;
        this.service = service;
        this.node = node;
        this.name = name;
        this.request = request;
    }

    CompletableFuture<DynamoDbResponse> send() {
        world.note(() -> name + " " + RequestText.of(request));
        if (node.isCutOff()) {
            world.note(() -> name + " gets nowhere");
        } else if (faults.happens(Feature.REQUESTS_LOST)) {
            world.note(() -> name + " is lost");
            world.met(Rare.REQUEST_LOST);
            world.after(way(), () -> fail(Refusals.lostConnection()));
        } else {
            world.after(way(), this::arrive);
        }
        return answer;
    }

    private Duration way() {
        return faults.way(node, isRead());
    }

    private void arrive() {
        if (faults.happens(Feature.SERVER_ERRORS)) {
            reply(Refusals.serverError());
        } else if (faults.happens(Feature.THROTTLING)) {
            world.met(Rare.THROTTLED);
            reply(Refusals.throttled());
        } else if (!service.hasCapacity(request)) {
            world.met(Rare.PARTITION_THROTTLED);
            reply(Refusals.throttled());
        } else if (service.isInProgress(request)) {
            world.met(Rare.TRANSACTION_IN_PROGRESS);
            reply(Refusals.inProgress());
        } else if (request instanceof TransactWriteItemsRequest transaction
                && faults.happens(Feature.TRANSACTION_CONFLICTS)) {
            world.met(Rare.TRANSACTION_CONFLICT);
            int actions = transaction.transactItems().size();
            reply(Refusals.conflict(world.random().nextInt(actions), actions));
        } else if (request instanceof TransactWriteItemsRequest transaction && faults.happens(Feature.WRITES_LATE)) {
            service.progressSlowly(transaction, this::takeEffect);
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
                page(service.engine().query(query), Read::queryResponse);
            } else if (request instanceof ScanRequest scan) {
                page(service.engine().scan(scan), Read::scanResponse);
            } else {
                DynamoDbResponse response = service.carryOut(request);
                world.note(() -> name + " took effect");
                reply(response);
            }
        } catch (DynamoDbException e) {
            reply(e);
        }
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
            service.read(query, read.bytes());
        }
        reply(response.apply(read));
    }

    private void reply(DynamoDbResponse response) {
        if (faults.happens(Feature.ANSWERS_LOST)) {
            world.note(() -> name + ": its answer is lost");
            if (!(response instanceof QueryResponse || response instanceof GetItemResponse)) {
                world.met(Rare.ANSWER_OF_A_WRITE_LOST);
            }
            world.after(way(), () -> fail(Refusals.lostConnection()));
        } else {
            world.after(way(), () -> answered(name + " is answered", () -> answer.complete(response)));
        }
    }

    private void reply(RuntimeException error) {
        world.after(way(), () -> fail(error));
    }

    private void fail(Exception error) {
        answered(name + " fails: " + error.getClass().getSimpleName(), () -> answer.completeExceptionally(error));
    }

    private void answered(String what, Runnable action) {
        if (!node.isCutOff()) {
            node.execute(() -> {
                world.note(() -> what);
                action.run();
            });
        }
    }
}
