package io.varve.store.internal.client;

import io.varve.store.FailureKind;
import io.varve.store.StoreObserver;
import io.varve.store.internal.async.Causes;
import io.varve.store.internal.async.Surroundings;
import io.varve.store.internal.client.Attempts.ConditionFailedException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.DeleteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbRequest;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbResponse;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsRequest;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/**
 * The one way to DynamoDB: every request of the store passes here.
 *
 * <p>A request is sent again while its failure can pass (throttling, 5xx, broken connections, missing answers, transaction
 * conflicts) and its operation's {@link Budget} lasts. The SDK's own retries are switched off, so that the two do not multiply:
 * for clients of ours when they are built, for a client of the user's with each request.
 */
public final class Gateway {
    private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);

    private final DynamoDbAsyncClient client;
    private final GatewaySettings settings;
    private final StoreObserver observer;
    private final Executor executor;
    private final Surroundings surroundings;
    private final ClockSkew clockSkew;
    private final @Nullable KnownCredentials credentials;
    private final RequestOverrides overrides;

    /** A gateway over a client; retries and late answers run on the executor. */
    public Gateway(DynamoDbAsyncClient client, GatewaySettings settings, StoreObserver observer, Executor executor) {
        this(client, settings, observer, executor, InstantSource.system());
    }

    /** As the other constructor, with the clock that DynamoDB's is compared with. */
    public Gateway(
            DynamoDbAsyncClient client,
            GatewaySettings settings,
            StoreObserver observer,
            Executor executor,
            InstantSource clock) {
        this(client, settings, observer, executor, clock, Surroundings.OF_THIS_MACHINE);
    }

    /** As the other constructors, with time and chance of the caller's own. */
    public Gateway(
            DynamoDbAsyncClient client,
            GatewaySettings settings,
            StoreObserver observer,
            Executor executor,
            InstantSource clock,
            Surroundings surroundings) {
        this.client = client;
        this.settings = settings;
        this.observer = observer;
        this.executor = executor;
        this.surroundings = surroundings;
        this.clockSkew = new ClockSkew(settings.clockSkewTolerance(), clock);
        this.credentials = KnownCredentials.of(client).orElse(null);
        this.overrides = new RequestOverrides(client, credentials);
    }

    /** A budget of the configured operation time, beginning now. */
    public Budget budget() {
        return budget(settings.operationTimeout());
    }

    /** A budget of that much time, beginning now. */
    public Budget budget(Duration total) {
        return new Budget(total, surroundings);
    }

    /** A budget of the configured operation time, beginning now, for one of several operations that share another budget. */
    public Budget budget(Budget shared) {
        return shared.part(settings.operationTimeout());
    }

    /** Sends a request that changes nothing, or that the caller knows to be repeatable. */
    public <Q extends DynamoDbRequest, R extends DynamoDbResponse> CompletionStage<R> call(
            Call<Q, R> call, Q request, Budget budget) {
        return attempts(call, request, budget).start();
    }

    /** Puts an item. */
    public CompletionStage<WriteResult> putItem(PutItemRequest request, Budget budget) {
        return write(Call.PUT_ITEM, request, budget);
    }

    /** Updates an item. */
    public CompletionStage<WriteResult> updateItem(UpdateItemRequest request, Budget budget) {
        return write(Call.UPDATE_ITEM, request, budget);
    }

    /** Deletes an item. */
    public CompletionStage<WriteResult> deleteItem(DeleteItemRequest request, Budget budget) {
        return write(Call.DELETE_ITEM, request, budget);
    }

    /** Writes all or nothing; a repeated attempt carries the same token, so that it cannot be applied twice. */
    public CompletionStage<WriteResult> transactWriteItems(List<TransactWriteItem> actions, Budget budget) {
        TransactWriteItemsRequest request = TransactWriteItemsRequest.builder()
                .transactItems(actions)
                .clientRequestToken(surroundings.uniqueName())
                .build();
        return write(Call.TRANSACT_WRITE_ITEMS, request, budget);
    }

    /** Writes items in batches of 25, a few at a time, until none is left unprocessed. Not atomic, but safe to repeat. */
    public CompletionStage<Void> batchWrite(String table, List<WriteRequest> writes, Budget budget) {
        return new Batches(this, budget).write(table, writes);
    }

    /** Reads items by their keys, in batches of 100, until none is left unprocessed; in no particular order. */
    public CompletionStage<List<Map<String, AttributeValue>>> batchGet(
            String table, List<Map<String, AttributeValue>> keys, boolean consistent, Budget budget) {
        return new Batches(this, budget).get(table, keys, consistent);
    }

    /** Completes after the delay, on this gateway's executor. */
    public CompletionStage<Void> after(Duration delay) {
        CompletableFuture<Void> passed = new CompletableFuture<>();
        surroundings.after(delay, () -> elsewhere(() -> passed.complete(null)));
        return passed;
    }

    /** The stage itself, which fails with a {@link TimeoutException} if it takes longer. */
    public <T> CompletableFuture<T> within(Duration time, CompletableFuture<T> stage) {
        Runnable callOff = surroundings.after(
                time, () -> elsewhere(() -> stage.completeExceptionally(new TimeoutException("took too long"))));
        stage.whenComplete((result, thrown) -> callOff.run());
        return stage;
    }

    void elsewhere(Runnable action) {
        try {
            executor.execute(action);
        } catch (RejectedExecutionException e) {
            action.run(); // the actor system is going down
        }
    }

    /** The time and the chance that everything works with which uses this gateway. */
    public Surroundings surroundings() {
        return surroundings;
    }

    private <Q extends DynamoDbRequest, R extends DynamoDbResponse> CompletionStage<WriteResult> write(
            Call<Q, R> call, Q request, Budget budget) {
        CompletableFuture<WriteResult> result = new CompletableFuture<>();
        Attempts<Q, R> attempts = attempts(call, request, budget);
        attempts.start().whenComplete((response, thrown) -> {
            if (thrown == null) {
                result.complete(new WriteResult.Applied(attempts.uncertain()));
            } else if (Causes.unwrap(thrown) instanceof ConditionFailedException condition) {
                result.complete(condition.result());
            } else {
                result.completeExceptionally(Causes.unwrap(thrown));
            }
        });
        return result;
    }

    private <Q extends DynamoDbRequest, R extends DynamoDbResponse> Attempts<Q, R> attempts(
            Call<Q, R> call, Q request, Budget budget) {
        Q asked = isObserved() ? call.askingForCapacity(request) : request;
        return new Attempts<>(this, call, overrides.apply(asked), budget);
    }

    private boolean isObserved() {
        try {
            return observer.enabled();
        } catch (RuntimeException e) {
            LOG.warn("The store observer {} failed.", observer.getClass().getName(), e);
            return false;
        }
    }

    DynamoDbAsyncClient client() {
        return client;
    }

    /** What must be known before a request is sent; absent where the client has it in memory. */
    @Nullable
    KnownCredentials credentials() {
        return credentials;
    }

    GatewaySettings settings() {
        return settings;
    }

    Duration backoff(int retry) {
        return settings.backoff().delay(retry, surroundings.chance());
    }

    /** Says so if the newest event of an entity is ahead of the clock that will give the next ones their timestamps. */
    public void checkClock(String persistenceId, Instant newest, Instant now) {
        clockSkew.checkEvent(persistenceId, newest, now);
    }

    void checkClock(DynamoDbResponse response, Duration latency) {
        clockSkew.check(response.sdkHttpResponse(), latency);
    }

    <Q extends DynamoDbRequest, R extends DynamoDbResponse> void observe(
            Call<Q, R> call, Q request, int attempt, Duration latency, double units, Optional<FailureKind> failure) {
        if (isObserved()) {
            tellObserver(() -> observer.requested(new StoreObserver.Request(
                    call.name(), call.table(request), call.items(request), attempt, latency, units, failure)));
        }
    }

    /** Tells the observer of entities that a query has forgotten. */
    public void observe(StoreObserver.Forgotten forgotten) {
        tellObserver(() -> observer.forgotten(forgotten));
    }

    private void tellObserver(Runnable message) {
        try {
            message.run();
        } catch (RuntimeException | LinkageError | AssertionError e) {
            LOG.warn(
                    "The store observer {} failed; the request itself is not affected.",
                    observer.getClass().getName(),
                    e);
        }
    }
}
