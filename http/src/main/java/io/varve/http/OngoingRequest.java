package io.varve.http;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.http.async.SdkAsyncHttpResponseHandler;

/**
 * A request on its way to an answer. It ends once: with the answer, with a failure, or because the SDK gives it up by failing the
 * future that it was given.
 *
 * <p>The SDK hears of the end on the executor, never on a thread that serves connections: what it does with an answer takes time,
 * and its users' code follows.
 */
final class OngoingRequest {
    private static final Logger LOG = LoggerFactory.getLogger(OngoingRequest.class);
    private static final int UNDER_WAY = 0;
    private static final int ENDED = 1;
    private static final int TOLD = 2;

    private final SdkAsyncHttpResponseHandler handler;
    private final Executor executor;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final AtomicInteger state = new AtomicInteger(UNDER_WAY);
    private final long startedAt = System.nanoTime();
    private volatile @Nullable Connections connections;
    private volatile @Nullable Connection connection;
    private byte[] bytes = new byte[0];

    OngoingRequest(SdkAsyncHttpResponseHandler handler, Executor executor) {
        this.handler = handler;
        this.executor = executor;
        done.whenComplete((nothing, failure) -> {
            if (failure != null && state.compareAndSet(UNDER_WAY, ENDED)) {
                giveUp(failure);
            }
        });
    }

    CompletableFuture<Void> done() {
        return done;
    }

    boolean isEnded() {
        return state.get() != UNDER_WAY;
    }

    long startedAt() {
        return startedAt;
    }

    byte[] bytes() {
        return bytes;
    }

    /** Sends the request as soon as there is a connection. */
    void start(byte[] toSend, Connections pool) {
        bytes = toSend;
        connections = pool;
        pool.submit(this);
    }

    /** It has a connection now. */
    void isOn(Connection given) {
        connection = given;
    }

    void answered(Answer answer) {
        if (state.compareAndSet(UNDER_WAY, ENDED)) {
            tell(() -> {
                try {
                    answer.deliver(handler);
                } catch (RuntimeException | Error e) {
                    failed(e);
                    return;
                }
                done.complete(null);
            });
        }
    }

    void fail(Throwable cause) {
        if (state.compareAndSet(UNDER_WAY, ENDED)) {
            tell(() -> failed(cause));
        }
    }

    private void failed(Throwable cause) {
        try {
            handler.onError(cause);
        } finally {
            done.completeExceptionally(cause);
        }
    }

    private void giveUp(Throwable reason) {
        Connections pool = connections;
        Connection used = connection;
        if (pool != null) {
            pool.forget(this);
        }
        if (used != null) {
            used.abort(this);
        }
        tell(() -> handler.onError(reason));
    }

    private void tell(Runnable end) {
        Runnable once = () -> {
            if (state.compareAndSet(ENDED, TOLD)) {
                try {
                    end.run();
                } catch (RuntimeException | Error e) {
                    LOG.warn("The SDK failed when it was told of the end of a request.", e);
                }
            }
        };
        try {
            executor.execute(once);
        } catch (RejectedExecutionException | Error e) {
            once.run(); // the client is closed, or there are no threads; it may be in the executor's queue all the same
        }
    }
}
