package io.varve.store.http;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.http.async.SdkAsyncHttpResponseHandler;

/** The answer to a request, gathered until it is whole. */
final class Answer {
    private static final int FIRST_BYTES = 1024;
    private static final int MOST_AT_ONCE = 1024 * 1024; // more only when it has arrived, whatever the header says

    private final HttpResponse head;
    private final long announced;
    private byte[] body = new byte[0];
    private int length;

    Answer(HttpResponse head) {
        this.head = head;
        this.announced = HttpUtil.getContentLength(head, (long) FIRST_BYTES);
    }

    /** Whether it only says that the real one will follow. */
    boolean isInformational() {
        return head.status().codeClass() == HttpStatusClass.INFORMATIONAL;
    }

    /** Whether the server goes on with the connection. */
    boolean keepsConnection() {
        return HttpUtil.isKeepAlive(head);
    }

    void append(ByteBuf part) {
        int size = part.readableBytes();
        if (length + size > body.length) {
            long wanted = length == 0 ? Math.min(announced, MOST_AT_ONCE) : body.length * 2L;
            body = Arrays.copyOf(body, Math.toIntExact(Math.max(wanted, (long) length + size)));
        }
        part.readBytes(body, length, size);
        length += size;
    }

    void deliver(SdkAsyncHttpResponseHandler handler) {
        var response = SdkHttpResponse.builder()
                .statusCode(head.status().code())
                .statusText(head.status().reasonPhrase());
        head.headers().forEach(header -> response.appendHeader(header.getKey(), header.getValue()));
        handler.onHeaders(response.build());
        handler.onStream(new Body(ByteBuffer.wrap(body, 0, length)));
    }

    /** The bytes as the stream that the SDK asks for. */
    private record Body(ByteBuffer bytes) implements Publisher<ByteBuffer> {
        @Override
        public void subscribe(Subscriber<? super ByteBuffer> subscriber) {
            subscriber.onSubscribe(new Once(bytes.duplicate(), subscriber));
        }
    }

    /** Gives the bytes on the first demand. */
    private static final class Once implements Subscription {
        private final ByteBuffer bytes;
        private final Subscriber<? super ByteBuffer> subscriber;
        private boolean over;

        Once(ByteBuffer bytes, Subscriber<? super ByteBuffer> subscriber) {
            this.bytes = bytes;
            this.subscriber = subscriber;
        }

        @Override
        public void request(long demand) {
            if (over) {
                return;
            }
            over = true;
            if (demand <= 0) {
                subscriber.onError(new IllegalArgumentException("A demand of " + demand + " is not positive"));
                return;
            }
            if (bytes.hasRemaining()) {
                subscriber.onNext(bytes);
            }
            subscriber.onComplete();
        }

        @Override
        public void cancel() {
            over = true;
        }
    }
}
