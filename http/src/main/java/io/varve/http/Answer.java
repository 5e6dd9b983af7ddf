package io.varve.http;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.http.async.SdkAsyncHttpResponseHandler;

/** The answer to a request, gathered until it is whole. */
final class Answer {
    private static final long NO_LENGTH = -1;
    private static final int FIRST_BYTES = 1024;
    private static final int MOST_AT_ONCE = 1024 * 1024; // more only when it has arrived, whatever the header says

    private final HttpResponse head;
    private final Target from;
    private final int most;
    private final long announced;
    private byte[] body = new byte[0];
    private int length;

    private Answer(HttpResponse head, Target from, int most, long announced) {
        this.head = head;
        this.from = from;
        this.most = most;
        this.announced = announced;
    }

    /** An answer that begins so; fails if one cannot know where it ends, or if it is larger than {@code most}. */
    static Answer of(HttpResponse head, Target from, int most) throws ProtocolException {
        int status = head.status().code();
        if (status < 100 || status > 599 || status == HttpResponseStatus.SWITCHING_PROTOCOLS.code()) {
            throw new ProtocolException(from + " answered with the status " + status + ", which has no meaning here");
        }
        List<String> codings = head.headers().getAll(HttpHeaderNames.TRANSFER_ENCODING);
        boolean chunked = !codings.isEmpty();
        if (chunked && !(codings.size() == 1 && codings.get(0).equalsIgnoreCase("chunked"))) {
            throw new ProtocolException(from + " sent an answer in the encoding " + codings + ", not just in chunks");
        }
        long announced = HttpUtil.getContentLength(head, NO_LENGTH);
        if (!chunked && announced == NO_LENGTH && !isEmpty(status)) {
            throw new ProtocolException(from + " sent an answer without a length, which could be cut off unnoticed");
        }
        Answer answer = new Answer(head, from, most, announced);
        answer.check(announced);
        return answer;
    }

    private static boolean isEmpty(int status) {
        return status < 200 || status == 204 || status == 304;
    }

    private void check(long size) throws ProtocolException {
        if (size > most) {
            throw new ProtocolException(
                    from + " sent an answer of more than " + most + " bytes (http.max-answer-size)");
        }
    }

    /** Whether it only says that the real one will follow. */
    boolean isInformational() {
        return head.status().codeClass() == HttpStatusClass.INFORMATIONAL;
    }

    /** Whether the server goes on with the connection. */
    boolean keepsConnection() {
        return HttpUtil.isKeepAlive(head);
    }

    void append(ByteBuf part) throws ProtocolException {
        int size = part.readableBytes();
        check((long) length + size);
        if (length + size > body.length) {
            long expected = announced == NO_LENGTH ? FIRST_BYTES : Math.min(announced, MOST_AT_ONCE);
            long wanted = Math.min(most, length == 0 ? expected : body.length * 2L);
            body = Arrays.copyOf(body, Math.toIntExact(Math.max(wanted, length + size)));
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
