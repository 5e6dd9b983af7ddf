package io.varve.simulation.failsonce;

import io.varve.simulation.failsonce.UseCase.Counting;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbServiceClientConfiguration;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbRequest;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbResponse;
import software.amazon.awssdk.services.dynamodb.model.InternalServerErrorException;
import software.amazon.awssdk.services.dynamodb.model.ProvisionedThroughputExceededException;

/** The way from one process to DynamoDB and back, on which one request fails. */
public final class Wire {
    private final Server server;
    private final Executor travel;
    private final List<DynamoDbRequest> sent = new ArrayList<>();
    private Fault fault = Fault.NONE;
    private @Nullable Counting counting;
    private boolean cut;
    private boolean gone;
    private boolean happened;
    private @Nullable DynamoDbRequest throttled;
    private final CompletableFuture<Void> settled = new CompletableFuture<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    /** Messages take as long as the executor keeps them. */
    public Wire(Server server, Executor travel) {
        this.server = server;
        this.travel = travel;
    }

    /** From now on requests count, and this happens. */
    public synchronized void begin(Fault which, Counting counted) {
        fault = which;
        counting = counted;
        sent.clear();
    }

    /** The requests since the beginning. */
    public synchronized List<DynamoDbRequest> sent() {
        return List.copyOf(sent);
    }

    /** Whether the request that is to fail was sent. */
    public synchronized boolean hasHappened() {
        return happened;
    }

    /** Whether the process at this end has stopped: it sends nothing, and hears nothing. */
    public synchronized boolean isGone() {
        return gone;
    }

    /** Done when the process at this end has stopped. */
    public CompletableFuture<Void> ended() {
        return ended;
    }

    /** Done when what is to happen has happened; if that is nothing, when as many requests were sent as could fail. */
    public synchronized CompletableFuture<Void> settled() {
        return counting == null ? CompletableFuture.completedFuture(null) : settled;
    }

    public synchronized void end() {
        gone = true;
        travel.execute(() -> ended.complete(null));
    }

    /** From now on requests get through. */
    public synchronized void mend() {
        cut = false;
        throttled = null;
    }

    /** A client of this process. */
    public DynamoDbAsyncClient client() {
        return (DynamoDbAsyncClient) Proxy.newProxyInstance(
                Wire.class.getClassLoader(), new Class<?>[] {DynamoDbAsyncClient.class}, (proxy, method, args) -> {
                    if (args != null && args.length == 1 && args[0] instanceof DynamoDbRequest request) {
                        return send(request);
                    }
                    return switch (method.getName()) {
                        case "serviceClientConfiguration" ->
                            DynamoDbServiceClientConfiguration.builder().build();
                        case "serviceName" -> "dynamodb";
                        case "toString" -> "client";
                        case "hashCode" -> System.identityHashCode(proxy);
                        case "equals" -> proxy == args[0];
                        case "close" -> null;
                        default -> throw new UnsupportedOperationException(method.getName());
                    };
                });
    }

    private synchronized CompletableFuture<DynamoDbResponse> send(DynamoDbRequest request) {
        CompletableFuture<DynamoDbResponse> answer = new CompletableFuture<>();
        if (gone) {
            return answer;
        }
        @Nullable Counting counted = counting;
        boolean counts = counted != null && counted.counts().test(request);
        if (counted != null && counts) {
            sent.add(request);
            if (fault.isNone() ? sent.size() == counted.first() : sent.size() == fault.number()) {
                travel.execute(() -> settled.complete(null));
            }
        }
        if (cut) {
            fail(answer, new IOException("connection refused"));
        } else if (request.equals(throttled)) {
            fail(answer, throttling());
        } else if (counts && sent.size() == fault.number()) {
            happened = true;
            fail(request, answer, fault.way());
        } else {
            travel.execute(() -> arrive(request, answer, place -> true));
        }
        return answer;
    }

    private void fail(DynamoDbRequest request, CompletableFuture<DynamoDbResponse> answer, Way way) {
        switch (way) {
            case SERVER_ERROR ->
                fail(
                        answer,
                        InternalServerErrorException.builder()
                                .message("Internal server error")
                                .statusCode(500)
                                .writableStackTrace(false)
                                .build());
            case DENIED -> fail(answer, denied());
            case ANSWER_LOST ->
                travel.execute(() -> {
                    takeEffect(request);
                    fail(answer, new IOException("connection reset"));
                });
            case NO_ANSWER -> travel.execute(() -> takeEffect(request));
            case CONNECTION_CUT -> fail(answer, new IOException("connection reset"));
            case THROTTLED_ONCE -> fail(answer, throttling());
            case THROTTLED -> {
                throttled = request;
                fail(answer, throttling());
            }
            case OUTAGE -> {
                cut = true;
                fail(answer, new IOException("connection reset"));
            }
            case OUTAGE_AFTER_IT -> {
                cut = true;
                travel.execute(() -> {
                    takeEffect(request);
                    fail(answer, new IOException("connection reset"));
                });
            }
            case HALF_OF_THE_BATCH -> travel.execute(() -> arrive(request, answer, place -> place % 2 == 0));
            case OTHER_HALF_OF_THE_BATCH -> travel.execute(() -> arrive(request, answer, place -> place % 2 == 1));
            case PROCESS_GONE_BEFORE_IT -> end();
            case PROCESS_GONE_AFTER_IT ->
                travel.execute(() -> {
                    takeEffect(request);
                    end();
                });
        }
    }

    private void arrive(DynamoDbRequest request, CompletableFuture<DynamoDbResponse> answer, IntPredicate places) {
        try {
            DynamoDbResponse response = server.carryOut(request, places);
            travel.execute(() -> {
                if (!isGone()) {
                    answer.complete(response);
                }
            });
        } catch (DynamoDbException e) {
            fail(answer, e);
        }
    }

    /** Nobody hears what came of it. */
    private void takeEffect(DynamoDbRequest request) {
        try {
            server.carryOut(request, place -> true);
        } catch (DynamoDbException e) {
            // Refused by a condition: that, too, is an answer that is lost.
        }
    }

    private void fail(CompletableFuture<DynamoDbResponse> answer, Exception error) {
        travel.execute(() -> {
            if (!isGone()) {
                answer.completeExceptionally(error);
            }
        });
    }

    private static RuntimeException throttling() {
        return ProvisionedThroughputExceededException.builder()
                .message("Throughput exceeds the current capacity of your table or index")
                .statusCode(400)
                .awsErrorDetails(AwsErrorDetails.builder()
                        .errorCode("ProvisionedThroughputExceededException")
                        .build())
                .writableStackTrace(false)
                .build();
    }

    private static RuntimeException denied() {
        return DynamoDbException.builder()
                .message("User is not authorized to perform this")
                .statusCode(400)
                .awsErrorDetails(AwsErrorDetails.builder()
                        .errorCode("AccessDeniedException")
                        .errorMessage("User is not authorized to perform this")
                        .build())
                .writableStackTrace(false)
                .build();
    }
}
