package io.varve.store.internal.client;

import io.varve.store.FailureKind;
import io.varve.store.StoreException;
import io.varve.store.internal.async.Causes;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbRequest;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbResponse;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/** One request, sent again until it is answered or its budget is spent. Attempts follow each other, so no state is shared. */
final class Attempts<Q extends DynamoDbRequest, R extends DynamoDbResponse> {
    private final Gateway gateway;
    private final Call<Q, R> call;
    private final Q request;
    private final Budget budget;
    private final CompletableFuture<R> result = new CompletableFuture<>();
    private int attempt;
    private long started;
    private boolean renewed;
    private boolean uncertain;
    private @Nullable Failure answer;

    Attempts(Gateway gateway, Call<Q, R> call, Q request, Budget budget) {
        this.gateway = gateway;
        this.call = call;
        this.request = request;
        this.budget = budget;
    }

    CompletableFuture<R> start() {
        send();
        return result;
    }

    /** Whether an attempt stayed without an answer; for use when the result is there. */
    boolean uncertain() {
        return uncertain;
    }

    private void send() {
        Duration left = budget.left();
        if (left.isZero()) {
            fail(answer == null ? Failure.notSent() : answer);
            return;
        }
        attempt++;
        started = gateway.surroundings().nanoTime();
        KnownCredentials credentials = gateway.credentials();
        if (credentials == null || credentials.areValid()) {
            send(left);
        } else {
            gateway.within(left, credentials.valid())
                    .whenComplete((known, thrown) -> gateway.elsewhere(() -> sendWithCredentials(thrown)));
        }
    }

    private void sendWithCredentials(@Nullable Throwable missing) {
        Duration left = budget.left();
        if (missing == null && !left.isZero()) {
            send(left);
            return;
        }
        Throwable cause = missing == null ? null : Causes.unwrap(missing);
        answered(null, cause instanceof CredentialsException ? cause : CredentialsException.late(cause));
    }

    private void send(Duration left) {
        CompletableFuture<R> sent;
        try {
            sent = call.send(gateway.client(), request);
        } catch (RuntimeException | Error e) {
            sent = CompletableFuture.failedFuture(e);
        }
        // Failing the SDK's future aborts the request. Its time ends on the executor, and so does the answer then run
        // there.
        gateway.within(shorter(gateway.settings().requestTimeout(), left), sent).whenComplete(this::answered);
    }

    private void answered(@Nullable R response, @Nullable Throwable thrown) {
        try {
            Duration latency = Duration.ofNanos(gateway.surroundings().nanoTime() - started);
            if (thrown == null && response != null) {
                gateway.observe(call, request, attempt, latency, call.capacityUnits(response), Optional.empty());
                gateway.checkClock(response, latency);
                result.complete(response);
                return;
            }
            Failure failure = Failure.of(thrown == null ? new IllegalStateException("no response") : thrown);
            gateway.observe(call, request, attempt, latency, 0, Optional.of(failure.kind()));
            failed(failure);
        } catch (RuntimeException | Error e) {
            result.completeExceptionally(e);
        }
    }

    private void failed(Failure failure) {
        if (failure.kind() == FailureKind.CONDITION) {
            result.completeExceptionally(
                    new ConditionFailedException(existing(failure.cause()), uncertain, failure.cause()));
            return;
        }
        uncertain |= failure.kind().uncertain();
        answer = ranOutOfTime(failure) ? answer : failure;
        Duration delay = gateway.backoff(attempt);
        if ((failure.kind().retryable() || renewsCredentials(failure)) && delay.compareTo(budget.left()) < 0) {
            gateway.after(delay).thenRun(this::send);
        } else {
            fail(reason(failure));
        }
    }

    /** Credentials can be changed at any time: those that DynamoDB does not accept are asked for again, once. */
    private boolean renewsCredentials(Failure failure) {
        KnownCredentials credentials = gateway.credentials();
        if (credentials == null || renewed || !failure.isOfCredentials()) {
            return false;
        }
        renewed = true;
        credentials.distrust(started);
        return true;
    }

    private void fail(Failure failure) {
        result.completeExceptionally(
                Translation.exception(call.name(), call.table(request), failure, attempt, budget, uncertain));
    }

    /** That the last attempt was cut off by the end of the budget says less than what the attempts before it met. */
    private Failure reason(Failure last) {
        return ranOutOfTime(last) && answer != null && budget.left().isZero() ? answer : last;
    }

    private static boolean ranOutOfTime(Failure failure) {
        return failure.kind() == FailureKind.NO_ANSWER
                || (failure.cause() instanceof CredentialsException credentials && credentials.isLate());
    }

    private static Map<Integer, Map<String, AttributeValue>> existing(Throwable cause) {
        Map<Integer, Map<String, AttributeValue>> existing = new TreeMap<>();
        if (cause instanceof ConditionalCheckFailedException single) {
            existing.put(0, single.hasItem() ? single.item() : Map.of());
        } else if (cause instanceof TransactionCanceledException cancelled) {
            int index = 0;
            for (CancellationReason reason : cancelled.cancellationReasons()) {
                if ("ConditionalCheckFailed".equals(reason.code())) {
                    existing.put(index, reason.hasItem() ? reason.item() : Map.of());
                }
                index++;
            }
        }
        return existing.entrySet().stream()
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) <= 0 ? a : b;
    }

    /** Carries a failed condition from an attempt to {@link Gateway}, which makes a value of it. */
    static final class ConditionFailedException extends StoreException {
        private static final long serialVersionUID = 1L;
        private final transient Map<Integer, Map<String, AttributeValue>> existing;

        ConditionFailedException(
                Map<Integer, Map<String, AttributeValue>> existing, boolean uncertain, Throwable cause) {
            super("A condition of the write did not hold.", FailureKind.CONDITION, uncertain, false, cause);
            this.existing = existing;
        }

        WriteResult result() {
            return new WriteResult.ConditionFailed(existing, mayHaveTakenEffect());
        }
    }
}
