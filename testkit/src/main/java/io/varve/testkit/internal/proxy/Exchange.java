package io.varve.testkit.internal.proxy;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.varve.testkit.internal.http.HttpAnswer;
import io.varve.testkit.internal.http.HttpCall;
import io.varve.testkit.internal.request.ParsedRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** One request on its way through the proxy; only used on the event loop of its connection. */
public final class Exchange {

    private final Channel client;
    private final Route route;
    private final HttpCall call;
    private final ParsedRequest request;
    private byte[] body;
    private final Runnable done;
    private final List<UnaryOperator<HttpAnswer>> changes = new ArrayList<>();
    private final List<Runnable> callbacks = new ArrayList<>();
    private boolean ended;

    Exchange(Channel client, Route route, HttpCall call, ParsedRequest request, Runnable done) {
        this.client = client;
        this.route = route;
        this.call = call;
        this.request = request;
        this.body = call.body();
        this.done = done;
    }

    /** What the client asks for. */
    public ParsedRequest request() {
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
    public void changeAnswer(UnaryOperator<HttpAnswer> change) {
        changes.add(change);
    }

    /** Runs after the backend's answer and before the client's. */
    public void runAfterAnswer(Runnable callback) {
        callbacks.add(callback);
    }

    /** Sends the request on, and the answer back. */
    public void forward() {
        forward(this::send);
    }

    /** Sends the request on, and resets the connection instead of answering. */
    public void forwardAndReset() {
        forward(answer -> reset());
    }

    /** Answers the client without the backend. */
    public void answer(HttpAnswer answer) {
        HttpAnswer changed = change(answer);
        route.answered(changed);
        send(changed);
    }

    /** Resets the connection. */
    public void reset() {
        reset(client);
        end();
    }

    /** Closes a connection so that the other side sees a reset instead of an end. */
    public static void reset(Channel channel) {
        if (channel.isOpen()) {
            channel.config().setOption(ChannelOption.SO_LINGER, 0);
            channel.close();
        }
    }

    /** Answers nothing until the proxy is cleared or closed. */
    public void hang() {
        route.hang(onLoop(this::reset));
    }

    /** Goes on after a while. */
    public void later(Duration delay, Runnable next) {
        client.eventLoop().schedule(next, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Runs a callback of the test, which may block, off the event loop. */
    public void run(Runnable callback, Runnable next) {
        CompletableFuture.runAsync(callback, Route.CALLBACKS).whenComplete((nothing, failure) -> {
            if (failure != null) {
                ProxyServer.LOG.error(
                        "A callback of the fault proxy failed on {}; the request goes on", request, failure);
            }
            onLoop(next).run();
        });
    }

    /** The same action; if it fails, that is logged and the client sees a reset instead of silence. */
    public Runnable guarded(Runnable action) {
        return () -> {
            try {
                action.run();
            } catch (RuntimeException | Error e) {
                fail(e);
            }
        };
    }

    /** The same action, moved to the event loop. */
    public Runnable onLoop(Runnable action) {
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
            ProxyServer.LOG.error(
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
