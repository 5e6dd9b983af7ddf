package io.varve.testkit.internal.proxy;

import io.varve.testkit.internal.capacity.CapacityUnits;
import io.varve.testkit.internal.capacity.ItemReader;
import io.varve.testkit.internal.capacity.Metered;
import io.varve.testkit.internal.capacity.ReadMeter;
import io.varve.testkit.internal.capacity.WriteMeter;
import io.varve.testkit.internal.http.Backend;
import io.varve.testkit.internal.http.HttpAnswer;
import io.varve.testkit.internal.http.HttpCall;
import io.varve.testkit.internal.json.LenientJson;
import io.varve.testkit.internal.request.KnownTables;
import io.varve.testkit.internal.request.ParsedRequest;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;

/** The way of one request to the backend, past the recorder if that is on. */
final class Route {

    /** Runs the callbacks of tests, which may block. */
    static final Executor CALLBACKS = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "varve-fault-proxy-callback");
        thread.setDaemon(true);
        return thread;
    });

    private final ProxyServer server;
    private final Backend backend;
    private final ParsedRequest request;
    private final Optional<AnswerRecord> record;

    Route(ProxyServer server, Backend backend, ParsedRequest request) {
        this.server = server;
        this.backend = backend;
        this.request = request;
        this.record = server.policy().record(request);
    }

    /** Sends the call, changes the answer and then records it. */
    CompletableFuture<HttpAnswer> forward(HttpCall call, UnaryOperator<HttpAnswer> change) {
        if (record.isEmpty()) {
            return backend.send(call).thenApply(change);
        }
        return metered(call, change).thenApply(metered -> {
            record.get().complete(metered);
            return metered.answer();
        });
    }

    /** Records an answer that did not come from the backend. */
    void answered(HttpAnswer answer) {
        record.ifPresent(open -> open.complete(new Metered(answer, request.items(), CapacityUnits.NONE)));
    }

    void hang(Runnable end) {
        server.hang(end);
    }

    /** What is sent may be less than what the client asked for, so it is parsed again. */
    private CompletableFuture<Metered> metered(HttpCall call, UnaryOperator<HttpAnswer> change) {
        KnownTables tables = server.tables();
        ParsedRequest sent = ParsedRequest.of(call.operation(), LenientJson.parse(call.body()), tables);
        ItemReader reader = new ItemReader(backend, call, tables);
        if (ReadMeter.reads(sent.operation())) {
            return new ReadMeter(sent, tables, reader).forward(backend, call, change);
        }
        if (!sent.itemOperations().isEmpty()) {
            return new WriteMeter(sent, tables, reader, server.usedTokens()).forward(backend, call, change);
        }
        return backend.send(call)
                .thenApply(change)
                .thenApply(answer -> new Metered(answer, sent.items(), CapacityUnits.NONE));
    }
}
