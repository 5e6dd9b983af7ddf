package io.varve.testkit;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The way of one request to the backend, past the recorder if that is on. */
final class Route {

    /** Runs the callbacks of tests, which may block. */
    static final Executor CALLBACKS = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "varve-fault-proxy-callback");
        thread.setDaemon(true);
        return thread;
    });

    private final FaultProxy proxy;
    private final Backend backend;
    private final @Nullable LogEntry entry;

    Route(FaultProxy proxy, Backend backend, @Nullable LogEntry entry) {
        this.proxy = proxy;
        this.backend = backend;
        this.entry = entry;
    }

    /** Sends the call, changes the answer and then records it. */
    CompletableFuture<HttpAnswer> forward(HttpCall call, UnaryOperator<HttpAnswer> change) {
        LogEntry recording = entry;
        if (recording == null) {
            return backend.send(call).thenApply(change);
        }
        return metered(call, change).thenApply(metered -> {
            recording.complete(metered.answer(), metered.items(), metered.capacity());
            return metered.answer();
        });
    }

    /** Records an answer that did not come from the backend. */
    void answered(HttpAnswer answer) {
        LogEntry recording = entry;
        if (recording != null) {
            recording.complete(answer, recording.recorded().items(), Capacity.NONE);
        }
    }

    void hang(Runnable end) {
        proxy.hang(end);
    }

    private CompletableFuture<Metered> metered(HttpCall call, UnaryOperator<HttpAnswer> change) {
        TableDefinitions definitions = proxy.definitions();
        DynamoDBRequest request = DynamoDBRequest.of(call.operation(), Json.parse(call.body()), definitions);
        ItemReader reader = new ItemReader(backend, call, definitions);
        if (ReadMeter.reads(request.operation())) {
            return new ReadMeter(request, definitions, reader).forward(backend, call, change);
        }
        if (!request.itemOperations().isEmpty()) {
            return new WriteMeter(request, definitions, reader, proxy.usedTokens()).forward(backend, call, change);
        }
        return backend.send(call)
                .thenApply(change)
                .thenApply(answer -> new Metered(answer, request.items(), Capacity.NONE));
    }
}
