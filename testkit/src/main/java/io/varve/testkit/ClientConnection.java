package io.varve.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.FullHttpRequest;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One connection of a client: its requests are handled one after the other, also if it goes away meanwhile. */
final class ClientConnection extends SimpleChannelInboundHandler<FullHttpRequest> {

    private static final Logger LOG = LoggerFactory.getLogger(FaultProxy.class);

    private final FaultProxy proxy;
    private final Backend backend;
    private final Deque<HttpCall> waiting = new ArrayDeque<>();
    private boolean busy;

    ClientConnection(FaultProxy proxy, Backend backend) {
        this.proxy = proxy;
        this.backend = backend;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
        waiting.add(HttpCall.of(request));
        next(context);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        next(context);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }

    private void next(ChannelHandlerContext context) {
        if (busy) {
            return;
        }
        HttpCall call = waiting.poll();
        if (call != null) {
            busy = true;
            guarded(context, call, () -> start(context, call));
        } else if (!context.channel().isActive()) {
            backend.close();
        }
    }

    private void start(ChannelHandlerContext context, HttpCall call) {
        String operation = call.operation();
        if (changesTables(operation)) {
            proxy.definitions().forgetAll();
        }
        if (!proxy.readsBodies()) {
            handle(context, call, DynamoDBRequest.unread(operation));
            return;
        }
        JsonNode body = Json.parse(call.body());
        learn(operation, body, call)
                .whenComplete((learnt, failure) -> guarded(
                        context,
                        call,
                        () -> handle(context, call, DynamoDBRequest.of(operation, body, proxy.definitions()))));
    }

    /** Runs a step before there is an exchange; if it fails, the client sees a reset instead of silence. */
    private void guarded(ChannelHandlerContext context, HttpCall call, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            LOG.error("The fault proxy cannot handle a request ({}); the connection is reset", call.operation(), e);
            Exchange.reset(context.channel());
            done(context);
        }
    }

    private static boolean changesTables(String operation) {
        return operation.endsWith("Table") && !operation.equals("DescribeTable");
    }

    private CompletableFuture<?> learn(String operation, JsonNode body, HttpCall call) {
        List<ItemOperation> items = ItemOperation.in(operation, body);
        boolean onItems = !items.isEmpty() || operation.equals("Query") || operation.equals("Scan");
        return onItems
                ? proxy.definitions().learn(DynamoDBRequest.tables(body, items), backend, call)
                : CompletableFuture.completedFuture("nothing to learn");
    }

    private void handle(ChannelHandlerContext context, HttpCall call, DynamoDBRequest request) {
        Exchange exchange =
                new Exchange(context.channel(), proxy.route(request, backend), call, request, () -> done(context));
        if (changesTables(request.operation())) {
            exchange.changeAnswer(answer -> {
                proxy.definitions().forgetAll();
                return answer;
            });
        }
        exchange.guarded(() ->
                        proxy.faultFor(request).ifPresentOrElse(fault -> fault.apply(exchange), exchange::forward))
                .run();
    }

    private void done(ChannelHandlerContext context) {
        busy = false;
        next(context);
    }
}
