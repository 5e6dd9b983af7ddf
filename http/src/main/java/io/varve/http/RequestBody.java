package io.varve.http;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/** Gathers the body of a request, which the SDK publishes though it has it in memory. */
final class RequestBody implements Subscriber<ByteBuffer> {
    private final Consumer<List<ByteBuffer>> whole;
    private final Consumer<Throwable> failed;
    private final List<ByteBuffer> parts = new ArrayList<>(1);

    RequestBody(Consumer<List<ByteBuffer>> whole, Consumer<Throwable> failed) {
        this.whole = whole;
        this.failed = failed;
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(ByteBuffer part) {
        parts.add(part);
    }

    @Override
    public void onError(Throwable failure) {
        failed.accept(failure);
    }

    @Override
    public void onComplete() {
        whole.accept(parts);
    }
}
