package io.varve.testkit;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One request on its way through the proxy; only used on the event loop of its connection. */
final class Exchange {

    private static final Logger LOG = LoggerFactory.getLogger(FaultProxy.class);

    private final Channel client;
    private final Route route;
    private final HttpCall call;
    private final DynamoDBRequest request;
    private byte[] body;
    private final Runnable done;
    private final List<UnaryOperator<HttpAnswer>> changes = new ArrayList<>();
    private final List<Runnable> callbacks = new ArrayList<>();
    private boolean ended;

    Exchange(Channel client, Route route, HttpCall call, DynamoDBRequest request, Runnable done) {
        this.client = client;
        this.route = route;
        this.call = call;
        this.request = request;
        this.body = call.body();
        this.done = done;
    }

    DynamoDBRequest request() {
        return request;
    }

    /** What the backend will get. */
    byte[] body() {
        return body;
    }

    /** Sends the backend another body than the client's. */
    void replaceBody(byte[] other) {
        body = other;
    }

    /** Changes the backend's answer before it counts and is sent. */
    void changeAnswer(UnaryOperator<HttpAnswer> change) {
        changes.add(change);
    }

    /** Runs after the backend's answer and before the client's. */
    void runAfterAnswer(Runnable callback) {
        callbacks.add(callback);
    }

    void forward() {
        forward(this::send);
    }

    void forwardAndReset() {
        forward(answer -> reset());
    }

    /** Answers the client without the backend. */
    void answer(HttpAnswer answer) {
        HttpAnswer changed = change(answer);
        route.answered(changed);
        send(changed);
    }

    void reset() {
        reset(client);
        end();
    }

    /** Closes a connection so that the other side sees a reset instead of an end. */
    static void reset(Channel channel) {
        if (channel.isOpen()) {
            channel.config().setOption(ChannelOption.SO_LINGER, 0);
            channel.close();
        }
    }

    void hang() {
        route.hang(onLoop(this::reset));
    }

    void later(Duration delay, Runnable next) {
        client.eventLoop().schedule(next, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Runs a callback of the test, which may block, off the event loop. */
    void run(Runnable callback, Runnable next) {
        CompletableFuture.runAsync(callback, Route.CALLBACKS).whenComplete((nothing, failure) -> {
            if (failure != null) {
                LOG.error("A callback of the fault proxy failed on {}; the request goes on", request, failure);
            }
            onLoop(next).run();
        });
    }

    /** The same action; if it fails, that is logged and the client sees a reset instead of silence. */
    Runnable guarded(Runnable action) {
        return () -> {
            try {
                action.run();
            } catch (RuntimeException | Error e) {
                fail(e);
            }
        };
    }

    /** The same action, moved to the event loop. */
    Runnable onLoop(Runnable action) {
        return () -> client.eventLoop().execute(action);
    }

    private void forward(Consumer<HttpAnswer> then) {
        route.forward(call.withBody(body), this::change).whenComplete((answer, failure) -> {
            if (failure != null) {
                fail(failure);
            } else if (callbacks.isEmpty()) {
                guarded(() -> then.accept(answer)).run();
            } else {
                run(() -> callbacks.forEach(Runnable::run), guarded(() -> then.accept(answer)));
            }
        });
    }

    /** Resets the connection; a backend that is gone is no news, anything else is. */
    private void fail(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (!(cause instanceof IOException)) {
            LOG.error(
                    "A rule or the recorder of the fault proxy failed on {}; the connection is reset", request, cause);
        }
        reset();
    }

    private void end() {
        if (!ended) {
            ended = true;
            done.run();
        }
    }

    private HttpAnswer change(HttpAnswer answer) {
        HttpAnswer changed = answer;
        for (UnaryOperator<HttpAnswer> change : changes) {
            changed = change.apply(changed);
        }
        return changed;
    }

    private void send(HttpAnswer answer) {
        client.writeAndFlush(answer.toNetty());
        end();
    }
}
