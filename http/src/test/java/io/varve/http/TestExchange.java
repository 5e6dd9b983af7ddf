package io.varve.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.http.async.SdkAsyncHttpResponseHandler;

/** The client's end of a request: all calls to the handler of the response, and the future that {@code execute} returned. */
class TestExchange implements SdkAsyncHttpResponseHandler {
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final List<Throwable> errors = new CopyOnWriteArrayList<>();
    private final List<SdkHttpResponse> heads = new CopyOnWriteArrayList<>();
    private final List<String> body = new CopyOnWriteArrayList<>();
    private final CompletableFuture<Void> streamed = new CompletableFuture<>();
    private volatile boolean errorsMatter = true;
    private volatile CompletableFuture<Void> returned = new CompletableFuture<>();

    /** An answer with its body, each byte a character. */
    record Received(SdkHttpResponse head, String body) {
        int status() {
            return head.statusCode();
        }
    }

    final void returned(CompletableFuture<Void> future) {
        returned = future;
    }

    final CompletableFuture<Void> future() {
        return returned;
    }

    /** It does not matter how often the handler is told of a failure. */
    final void ignoreErrors() {
        errorsMatter = false;
    }

    /** The caller loses interest. */
    final void giveUp(Predicate<CompletableFuture<Void>> how) {
        ignoreErrors();
        assertThat(how.test(returned)).isTrue();
    }

    /** The answer, which was delivered as it should. */
    final Received answer() throws Exception {
        returned.get(10, TimeUnit.SECONDS);
        streamed.get(10, TimeUnit.SECONDS);
        assertThat(calls).containsExactly("head", "stream", "complete");
        return new Received(heads.get(0), String.join("", body));
    }

    /** The failure of the future, of which the handler was told; its causes say why. */
    final Throwable failure() throws Exception {
        try {
            returned.get(10, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            Eventually.until(() -> !errors.isEmpty());
            assertThat(calls).doesNotContain("complete");
            return e;
        }
        throw new AssertionError("succeeded with "
                + heads.stream().map(SdkHttpResponse::statusCode).toList() + " " + body);
    }

    /** Nobody is told twice of a failure. */
    final void checkErrors() {
        if (errorsMatter) {
            assertThat(errors).hasSizeLessThanOrEqualTo(1);
        }
    }

    @Override
    public void onHeaders(SdkHttpResponse head) {
        calls.add("head");
        heads.add(head);
    }

    @Override
    public void onStream(Publisher<ByteBuffer> stream) {
        calls.add("stream");
        stream.subscribe(new Sink());
    }

    @Override
    public void onError(Throwable error) {
        errors.add(error);
    }

    /** How many buffers to ask for at once. */
    long demand() {
        return Long.MAX_VALUE;
    }

    private final class Sink implements Subscriber<ByteBuffer> {
        private volatile Runnable more = () -> {};

        @Override
        public void onSubscribe(Subscription subscription) {
            more = () -> subscription.request(demand());
            more.run();
        }

        @Override
        public void onNext(ByteBuffer bytes) {
            body.add(StandardCharsets.ISO_8859_1.decode(bytes).toString());
            if (demand() < Long.MAX_VALUE) {
                more.run();
            }
        }

        @Override
        public void onError(Throwable error) {
            calls.add("broken");
            streamed.completeExceptionally(error);
        }

        @Override
        public void onComplete() {
            calls.add("complete");
            streamed.complete(null);
        }
    }
}
