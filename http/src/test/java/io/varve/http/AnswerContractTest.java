package io.varve.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.http.ScriptedConnection.Script;
import io.varve.http.TestExchange.Received;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;

/** The answer is delivered, however it comes. */
class AnswerContractTest extends HttpClientContract {
    @Test
    void answer_withStatusAndHeaders_isDelivered() throws Exception {
        Received answer = answerTo((request, connection) -> connection.send(
                "HTTP/1.1 200 Fine\r\nx-amz-crc32: 17\r\nX-Twice: a\r\nX-Twice: b\r\nContent-Length: 4\r\n\r\nbody"));
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.head().firstMatchingHeader("X-Amz-Crc32")).contains("17");
        assertThat(answer.head().matchingHeaders("x-twice")).containsExactly("a", "b");
        assertThat(answer.body()).isEqualTo("body");
    }

    @Test
    void answer_withLengthZero_isDeliveredEmpty() throws Exception {
        assertThat(answerTo((request, connection) -> connection.send(ok(""))).body())
                .isEmpty();
    }

    @Test
    void answer_withoutContent_isDeliveredEmpty() throws Exception {
        Received answer = answerTo((request, connection) -> connection.send("HTTP/1.1 204 No Content\r\n\r\n"));
        assertThat(answer.status()).isEqualTo(204);
        assertThat(answer.body()).isEmpty();
    }

    @Test
    void answer_withAnErrorStatus_isNoFailure() throws Exception {
        ScriptedServer server = server(Script.each((request, connection) -> connection.send(
                "HTTP/1.1 " + request.target().substring(1) + " Oops\r\nContent-Length: 3\r\n\r\n{x}")));
        SdkAsyncHttpClient client = openForOneConnection();
        for (int status : new int[] {301, 400, 404, 413, 500, 503}) {
            Received answer = send(client, server, "/" + status).answer();
            assertThat(answer.status()).isEqualTo(status);
            assertThat(answer.body()).isEqualTo("{x}");
        }
        assertThat(server.connections()).hasSize(1);
    }

    @Test
    void answer_inChunks_isDelivered() throws Exception {
        String large = TestBodies.random(100_000, 2);
        Received answer = answerTo((request, connection) -> {
            connection.send(CHUNKED + chunk("one "));
            connection.send("3\r\ntw");
            connection.send("o\r\n" + chunk(large) + "0\r");
            connection.send("\n\r\n");
        });
        assertThat(answer.body()).isEqualTo("one two" + large);
    }

    @Test
    void answer_inChunksWithTrailers_leavesNothingForTheNext() throws Exception {
        ScriptedServer server = server(Script.each((request, connection) ->
                connection.send(CHUNKED + chunk(request.target()) + "0\r\nX-Sum: 1\r\nX-More: 2\r\n\r\n")));
        SdkAsyncHttpClient client = openForOneConnection();
        assertThat(send(client, server, "/one").answer().body()).isEqualTo("/one");
        assertThat(send(client, server, "/two").answer().body()).isEqualTo("/two");
    }

    @Test
    void answer_ofTwoMegabytes_isDelivered() throws Exception {
        String body = TestBodies.random(2 * MEGABYTE, 3);
        assertThat(answerTo((request, connection) -> connection.send(ok(body))).body())
                .isEqualTo(body);
    }

    @Test
    void answer_readBufferByBuffer_isDelivered() throws Exception {
        String body = TestBodies.random(2 * MEGABYTE, 4);
        ScriptedServer server = server(Script.always(ok(body)));
        SdkAsyncHttpClient client = openForOneConnection();
        TestExchange hesitant = new TestExchange() {
            @Override
            long demand() {
                return 1;
            }
        };
        assertThat(send(client, get(server.address(), "/"), TestBodies.of(), hesitant)
                        .answer()
                        .body())
                .isEqualTo(body);
        assertThat(ask(client, server).body()).isEqualTo(body);
        assertThat(server.connections()).hasSize(1);
    }

    @Test
    void answer_byteByByte_isDelivered() throws Exception {
        String head = "HTTP/1.1 200 OK\r\nX-Header: value\r\nContent-Length: 20\r\n\r\n";
        String body = TestBodies.random(20, 5);
        Received answer = answerTo((request, connection) -> connection.sendByteByByte(head + body));
        assertThat(answer.head().firstMatchingHeader("x-header")).contains("value");
        assertThat(answer.body()).isEqualTo(body);
    }

    @Test
    void answer_inChunksByteByByte_isDelivered() throws Exception {
        String body = TestBodies.random(20, 6);
        assertThat(answerTo((request, connection) ->
                                connection.sendByteByByte(CHUNKED + chunk(body) + chunk("end") + chunk("")))
                        .body())
                .isEqualTo(body + "end");
    }

    @Test
    void answer_whoseStreamIsCancelled_doesNotDisturbTheNext() throws Exception {
        ScriptedServer server = server(Script.each((request, connection) ->
                connection.send(ok(request.target().equals("/large") ? TestBodies.random(MEGABYTE, 8) : "next"))));
        SdkAsyncHttpClient client = openForOneConnection();
        CountDownLatch cancelled = new CountDownLatch(1);
        TestExchange uninterested = new TestExchange() {
            @Override
            public void onStream(Publisher<ByteBuffer> stream) {
                stream.subscribe(new Cancelling(cancelled));
            }
        };
        send(client, get(server.address(), "/large"), TestBodies.of(), uninterested);
        assertThat(cancelled.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(send(client, server, "/next").answer().body()).isEqualTo("next");
    }

    record Cancelling(CountDownLatch cancelled) implements Subscriber<ByteBuffer> {
        @Override
        public void onSubscribe(Subscription subscription) {
            subscription.cancel();
            cancelled.countDown();
        }

        @Override
        public void onNext(ByteBuffer bytes) {}

        @Override
        public void onError(Throwable error) {}

        @Override
        public void onComplete() {}
    }

    void handlerThrows(TestExchange handler) throws Exception {
        ScriptedServer server = server(ECHO_PATH);
        SdkAsyncHttpClient client = openForOneConnection();
        TestExchange exchange = send(client, get(server.address(), "/thrown"), TestBodies.of(), handler);
        assertThat(causes(exchange.failure())).anyMatch(cause -> "thrown".equals(cause.getMessage()));
        assertThat(send(client, server, "/next").answer().body()).isEqualTo("/next");
    }

    @Test
    void answer_whoseHandlerThrowsAtTheHeaders_failsAndDoesNotDisturbTheNext() throws Exception {
        handlerThrows(new TestExchange() {
            @Override
            public void onHeaders(SdkHttpResponse head) {
                throw new IllegalStateException("thrown");
            }
        });
    }

    @Test
    void answer_whoseHandlerThrowsAtTheStream_failsAndDoesNotDisturbTheNext() throws Exception {
        handlerThrows(new TestExchange() {
            @Override
            public void onStream(Publisher<ByteBuffer> stream) {
                throw new IllegalStateException("thrown");
            }
        });
    }
}
