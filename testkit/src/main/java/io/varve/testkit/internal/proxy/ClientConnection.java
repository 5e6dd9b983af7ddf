package io.varve.testkit.internal.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.FullHttpRequest;
import io.varve.testkit.internal.http.Backend;
import io.varve.testkit.internal.http.HttpCall;
import io.varve.testkit.internal.json.LenientJson;
import io.varve.testkit.internal.request.ItemOperation;
import io.varve.testkit.internal.request.ParsedRequest;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** One connection of a client: its requests are handled one after the other, also if it goes away meanwhile. */
final class ClientConnection extends SimpleChannelInboundHandler<FullHttpRequest> {

    private final ProxyServer server;
    private final Backend backend;
    private final Deque<HttpCall> waiting = new ArrayDeque<>();
    private boolean busy;

    ClientConnection(ProxyServer server, Backend backend) {
        this.server = server;
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
            server.tables().forgetAll();
        }
        if (!server.policy().readsBodies()) {
            handle(context, call, ParsedRequest.unread(operation));
            return;
        }
        JsonNode body = LenientJson.parse(call.body());
        learn(operation, body, call)
                .whenComplete((learnt, failure) -> guarded(
                        context,
                        call,
                        () -> handle(context, call, ParsedRequest.of(operation, body, server.tables()))));
    }

    /** Runs a step before there is an exchange; if it fails, the client sees a reset instead of silence. */
    private void guarded(ChannelHandlerContext context, HttpCall call, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            ProxyServer.LOG.error(
                    "The fault proxy cannot handle a request ({}); the connection is reset", call.operation(), e);
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
                ? server.tables().learn(ParsedRequest.tables(body, items), backend, call)
                : CompletableFuture.completedFuture("nothing to learn");
    }

    private void handle(ChannelHandlerContext context, HttpCall call, ParsedRequest request) {
        Exchange exchange = new Exchange(
                context.channel(), new Route(server, backend, request), call, request, () -> done(context));
        if (changesTables(request.operation())) {
            exchange.changeAnswer(answer -> {
                server.tables().forgetAll();
                return answer;
            });
        }
        exchange.guarded(() -> server.policy().handle(exchange)).run();
    }

    private void done(ChannelHandlerContext context) {
        busy = false;
        next(context);
    }
}
