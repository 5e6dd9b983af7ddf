package io.varve.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.varve.http.ScriptedConnection.Reply;
import io.varve.http.ScriptedConnection.Script;
import io.varve.http.TestExchange.Received;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.http.async.AsyncExecuteRequest;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;
import software.amazon.awssdk.http.async.SdkHttpContentPublisher;

/** What the SDK for DynamoDB and the gateway rely on in an HTTP client, against a server that answers as scripted. */
abstract class HttpClientContract {
    static final int MEGABYTE = 1024 * 1024;
    static final Options ONE_CONNECTION = new Options().withConnections(1, 10);
    static final String CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    static final Script ECHO_PATH = Script.each((request, connection) -> connection.send(ok(request.target())));

    private final List<TestExchange> exchanges = new ArrayList<>();
    private final List<AutoCloseable> opened = new ArrayList<>();

    /** A new client; the contract closes it. */
    abstract SdkAsyncHttpClient client(Options options);

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
        exchanges.forEach(TestExchange::checkErrors); // after closing, which may tell of some again
    }

    SdkAsyncHttpClient open(Options options) {
        return closedAfterwards(client(options));
    }

    SdkAsyncHttpClient closedAfterwards(SdkAsyncHttpClient client) {
        opened.add(0, client);
        return client;
    }

    SdkAsyncHttpClient open() {
        return open(new Options());
    }

    /** A client that waits until its connection is free again, which may be a little after the answer. */
    SdkAsyncHttpClient openForOneConnection() {
        return open(ONE_CONNECTION);
    }

    ScriptedServer server(Script... scripts) {
        ScriptedServer server = ScriptedServer.start(scripts);
        opened.add(server);
        return server;
    }

    ScriptedServer tlsServer(TestCertificate certificate, Script... scripts) throws Exception {
        ScriptedServer server = ScriptedServer.startTls(certificate.server(), scripts);
        opened.add(server);
        return server;
    }

    static SdkHttpRequest.Builder get(URI address, String path) {
        return SdkHttpRequest.builder()
                .method(SdkHttpMethod.GET)
                .uri(address)
                .encodedPath(path)
                .putHeader("Content-Length", "0");
    }

    private static SdkHttpRequest.Builder post(URI address, long length) {
        return SdkHttpRequest.builder()
                .method(SdkHttpMethod.POST)
                .uri(address)
                .encodedPath("/")
                .putHeader("Content-Length", Long.toString(length));
    }

    TestExchange send(SdkAsyncHttpClient client, ScriptedServer server, String path) {
        return send(client, get(server.address(), path), TestBodies.of(), new TestExchange());
    }

    TestExchange send(SdkAsyncHttpClient client, ScriptedServer server, SdkHttpContentPublisher body) {
        return send(client, post(server.address(), body.contentLength().orElseThrow()), body, new TestExchange());
    }

    TestExchange send(
            SdkAsyncHttpClient client,
            SdkHttpRequest.Builder request,
            SdkHttpContentPublisher body,
            TestExchange exchange) {
        exchanges.add(exchange);
        exchange.returned(client.execute(AsyncExecuteRequest.builder()
                .request(request.build())
                .requestContentPublisher(body)
                .responseHandler(exchange)
                .build()));
        return exchange;
    }

    /** Sends, and returns when the request is at the server, the first one there: what is sent from now on comes after it. */
    TestExchange sendFirst(SdkAsyncHttpClient client, ScriptedServer server, String path) {
        TestExchange exchange = send(client, server, path);
        Eventually.until(() -> server.requests().size() == 1);
        return exchange;
    }

    Received ask(SdkAsyncHttpClient client, ScriptedServer server) throws Exception {
        return send(client, server, "/").answer();
    }

    static String ok(String body) {
        return "HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
    }

    static String chunk(String bytes) {
        return Integer.toHexString(bytes.length()) + "\r\n" + bytes + "\r\n";
    }

    static List<Throwable> causes(Throwable failure) {
        return Stream.iterate(Optional.of(failure), Optional::isPresent, next -> next.map(Throwable::getCause))
                .flatMap(Optional::stream)
                .limit(20)
                .toList();
    }

    /** Something that the gateway knows as a failure of the connection. */
    static void isOfTheConnection(Throwable failure) {
        assertThat(causes(failure))
                .anyMatch(cause -> cause instanceof IOException || cause instanceof TimeoutException);
    }

    // The request

    @Test
    void request_withPathQueryAndHeaders_arrivesAsAsked() throws Exception {
        ScriptedServer server = server(Script.always(ok("")));
        SdkHttpRequest.Builder request = SdkHttpRequest.builder()
                .method(SdkHttpMethod.PUT)
                .uri(server.address())
                .encodedPath("/a%20path/of/it")
                .putRawQueryParameter("one", "1 & more")
                .putRawQueryParameter("two", List.of("x", "y"))
                .putHeader("X-Amz-Target", "DynamoDB_20120810.PutItem")
                .putHeader("x-mixed-CASE", List.of("first", "second"))
                .putHeader("Content-Length", "2");
        send(open(), request, TestBodies.of("{}"), new TestExchange()).answer();
        SeenRequest seen = server.requests().get(0);
        assertThat(seen.method()).isEqualTo("PUT");
        assertThat(seen.target()).isEqualTo("/a%20path/of/it?one=1%20%26%20more&two=x&two=y");
        assertThat(seen.values("X-Amz-Target")).containsExactly("DynamoDB_20120810.PutItem");
        assertThat(seen.values("X-Mixed-Case")).containsExactly("first", "second");
        assertThat(seen.values("Content-Length")).containsExactly("2");
        assertThat(seen.values("Transfer-Encoding")).isEmpty();
        assertThat(seen.values("Host")).containsExactly(server.address().getAuthority());
        assertThat(seen.body()).isEqualTo("{}");
    }

    @Test
    void request_withoutPath_asksForTheRoot() throws Exception {
        ScriptedServer server = server(Script.always(ok("")));
        send(open(), get(server.address(), ""), TestBodies.of(), new TestExchange())
                .answer();
        assertThat(server.requests().get(0).target()).isEqualTo("/");
    }

    @Test
    void request_withAHostOfItsOwn_keepsIt() throws Exception {
        ScriptedServer server = server(Script.always(ok("")));
        send(
                        open(),
                        get(server.address(), "/").putHeader("Host", "dynamodb.example"),
                        TestBodies.of(),
                        new TestExchange())
                .answer();
        assertThat(server.requests().get(0).values("host")).containsExactly("dynamodb.example");
    }

    void bodyArrives(SdkHttpContentPublisher body, String expected) throws Exception {
        ScriptedServer server = server(Script.always(ok("")));
        SdkAsyncHttpClient client = openForOneConnection();
        send(client, server, body).answer();
        ask(client, server); // the body left nothing on the connection that is taken for a request
        assertThat(server.connections()).hasSize(1);
        assertThat(server.requests()).hasSize(2);
        assertThat(server.requests().get(0).body()).isEqualTo(expected);
        assertThat(server.requests().get(1).body()).isEmpty();
    }

    @Test
    void body_whichIsEmpty_arrives() throws Exception {
        bodyArrives(TestBodies.of(), "");
    }

    @Test
    void body_inOnePiece_arrives() throws Exception {
        bodyArrives(TestBodies.of("{\"a\":\u00ff\u0000}"), "{\"a\":\u00ff\u0000}");
    }

    @Test
    void body_ofAMegabyte_arrives() throws Exception {
        String body = TestBodies.random(MEGABYTE, 1);
        bodyArrives(TestBodies.of(body), body);
    }

    @Test
    void body_inPiecesFromAnotherThread_arrives() throws Exception {
        String[] pieces = IntStream.range(0, 20)
                .mapToObj(seed -> TestBodies.random(seed * 1000, seed))
                .toArray(String[]::new);
        bodyArrives(TestBodies.fromAnotherThread(pieces), String.join("", pieces));
    }

    @Test
    void body_whosePublisherFails_failsAndIsNeverARequest() throws Exception {
        ScriptedServer server = server(ECHO_PATH);
        SdkAsyncHttpClient client = openForOneConnection();
        IllegalStateException failure = new IllegalStateException("no more");
        TestExchange exchange = send(client, server, TestBodies.failing(10, failure, "four"));
        assertThat(causes(exchange.failure())).contains(failure);
        assertThat(send(client, server, "/next").answer().body()).isEqualTo("/next");
        assertThat(server.requests()).hasSize(1);
        if (server.connections().size() > 1) { // the incomplete one was begun
            assertThat(server.connection(0).awaitEnd()).isTrue();
        }
    }

    // The answer

    Received answerTo(Reply reply) throws Exception {
        return ask(open(), server(Script.once(reply)));
    }

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

    // Connections are kept

    @Test
    void connection_afterAnAnswer_isUsedForTheNextRequest() throws Exception {
        ScriptedServer server = server(ECHO_PATH);
        SdkAsyncHttpClient client = openForOneConnection();
        for (int i = 0; i < 20; i++) {
            assertThat(send(client, server, "/" + i).answer().body()).isEqualTo("/" + i);
        }
        assertThat(server.connections()).hasSize(1);
    }

    void isNotReusedAfter(String answer) throws Exception {
        ScriptedServer server = server(Script.once((request, connection) -> connection.send(answer)), ECHO_PATH);
        SdkAsyncHttpClient client = openForOneConnection();
        assertThat(ask(client, server).body()).isEqualTo("last");
        assertThat(send(client, server, "/next").answer().body()).isEqualTo("/next");
        assertThat(server.connections()).hasSize(2);
        assertThat(server.connection(0).awaitEnd()).isTrue();
    }

    @Test
    void connection_whichTheServerWillClose_isNotUsedAgain() throws Exception {
        isNotReusedAfter("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nlast");
    }

    @Test
    void connection_ofHttp10_isNotUsedAgain() throws Exception {
        isNotReusedAfter("HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nlast");
    }

    @Test
    void connection_withUnaskedBytesAfterTheAnswer_isNotTakenForTheNext() throws Exception {
        ScriptedServer server =
                server(Script.once((request, connection) -> connection.send(ok("first") + ok("unasked"))), ECHO_PATH);
        SdkAsyncHttpClient client = openForOneConnection();
        TestExchange first = send(client, server, "/first");
        first.ignoreErrors();
        Eventually.until(first.future()::isDone);
        if (!first.future().isCompletedExceptionally()) { // which is as good an answer to that
            assertThat(first.answer().body()).isEqualTo("first");
        }
        assertThat(send(client, server, "/next").answer().body()).isEqualTo("/next");
        assertThat(server.connection(0).awaitEnd()).isTrue();
    }

    @Test
    void connection_whichTheServerEndsWhileIdle_isReplaced() throws Exception {
        CountDownLatch idle = new CountDownLatch(1);
        ScriptedServer server = server(
                Script.once((request, connection) -> {
                    connection.send(ok("first"));
                    idle.await();
                    connection.endOutput();
                }),
                ECHO_PATH);
        SdkAsyncHttpClient client = openForOneConnection();
        assertThat(ask(client, server).body()).isEqualTo("first");
        idle.countDown();
        assertThat(server.connection(0).awaitEnd()).isTrue(); // the client has noticed and closed its side
        assertThat(send(client, server, "/next").answer().body()).isEqualTo("/next");
        assertThat(server.connections()).hasSize(2);
    }

    @Test
    void connection_idleForTooLong_isClosed() throws Exception {
        ScriptedServer server = server(ECHO_PATH);
        SdkAsyncHttpClient client = open(new Options().withIdleTimeout(Duration.ofMillis(200)));
        ask(client, server);
        assertThat(server.connection(0).awaitEnd()).isTrue();
        assertThat(send(client, server, "/next").answer().body()).isEqualTo("/next");
        assertThat(server.connections()).hasSize(2);
    }

    @Test
    void connection_waitingForAnAnswer_isNotIdle() throws Exception {
        CountDownLatch otherClosed = new CountDownLatch(1);
        ScriptedServer server = server(Script.each((request, connection) -> {
            if (request.target().equals("/slow")) {
                otherClosed.await();
            }
            connection.send(ok(request.target()));
        }));
        SdkAsyncHttpClient client = open(new Options().withIdleTimeout(Duration.ofMillis(200)));
        TestExchange slow = sendFirst(client, server, "/slow");
        send(client, server, "/quick").answer();
        assertThat(server.connection(1).awaitEnd()).isTrue(); // idle later than the other waits
        otherClosed.countDown();
        assertThat(slow.answer().body()).isEqualTo("/slow");
    }

    @Test
    void connection_olderThanItsTimeToLive_isReplaced() throws Exception {
        ScriptedServer server = server(ECHO_PATH);
        SdkAsyncHttpClient client = open(ONE_CONNECTION.withTimeToLive(Duration.ofMillis(300)));
        await().pollInterval(Duration.ofMillis(50)).until(() -> {
            assertThat(send(client, server, "/any").answer().body()).isEqualTo("/any");
            return server.connections().size() >= 2;
        });
        assertThat(server.connection(0).awaitEnd()).isTrue();
    }

    // No more connections than allowed

    @Test
    void requests_beyondTheConnections_waitAndAreServedInOrder() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        ScriptedServer server = server(Script.each((request, connection) -> {
            release.await();
            connection.send(ok(request.target()));
        }));
        SdkAsyncHttpClient client = openForOneConnection();
        List<String> paths =
                IntStream.range(0, 6).mapToObj(number -> "/" + number).toList();
        TestExchange first = sendFirst(client, server, "/first");
        List<TestExchange> sent =
                paths.stream().map(path -> send(client, server, path)).toList();
        release.countDown();
        first.answer();
        for (int i = 0; i < paths.size(); i++) {
            assertThat(sent.get(i).answer().body()).isEqualTo(paths.get(i));
        }
        assertThat(server.requests())
                .extracting(SeenRequest::target)
                .startsWith("/first")
                .endsWith(paths.toArray(String[]::new));
        assertThat(server.connections()).hasSize(1);
    }

    @Test
    void requests_beyondTheConnections_useAllOfThem() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        ScriptedServer server = server(Script.each((request, connection) -> {
            release.await();
            connection.send(ok(request.target()));
        }));
        SdkAsyncHttpClient client = open(new Options().withConnections(3, 10));
        TestExchange first = sendFirst(client, server, "/first");
        List<TestExchange> sent = IntStream.range(0, 10)
                .mapToObj(number -> send(client, server, "/" + number))
                .toList();
        Eventually.until(() -> server.requests().size() == 3);
        release.countDown();
        first.answer();
        for (int i = 0; i < sent.size(); i++) {
            assertThat(sent.get(i).answer().body()).isEqualTo("/" + i);
        }
        assertThat(server.connections()).hasSize(3);
    }

    @Test
    void requests_beyondThoseThatMayWait_failAtOnce() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        ScriptedServer server = server(Script.each((request, connection) -> {
            release.await();
            connection.send(ok(request.target()));
        }));
        SdkAsyncHttpClient client = open(new Options().withConnections(1, 1));
        TestExchange served = sendFirst(client, server, "/served");
        TestExchange waiting = send(client, server, "/waiting");
        Throwable failure = send(client, server, "/refused").failure();
        assertThat(causes(failure)).anyMatch(cause -> cause.getMessage() != null);
        release.countDown();
        assertThat(served.answer().body()).isEqualTo("/served");
        assertThat(waiting.answer().body()).isEqualTo("/waiting");
        assertThat(server.requests()).hasSize(2);
        assertThat(send(client, server, "/later").answer().body()).isEqualTo("/later");
    }

    @Test
    void request_waitingTooLongForAConnection_failsAndOthersAreServed() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        ScriptedServer server = server(Script.each((request, connection) -> {
            release.await();
            connection.send(ok(request.target()));
        }));
        SdkAsyncHttpClient client =
                open(new Options().withConnections(1, 10).withAcquireTimeout(Duration.ofSeconds(1)));
        TestExchange served = sendFirst(client, server, "/served");
        isOfTheConnection(send(client, server, "/late").failure());
        release.countDown();
        assertThat(served.answer().body()).isEqualTo("/served");
        assertThat(send(client, server, "/next").answer().body()).isEqualTo("/next");
        assertThat(server.requests()).extracting(SeenRequest::target).containsExactly("/served", "/next");
    }

    @Test
    void requests_fromManyThreads_getEachTheirOwnAnswer() throws Exception {
        ScriptedServer server = server(Script.each((request, connection) -> connection.send(ok(request.body()))));
        SdkAsyncHttpClient client = open(new Options().withConnections(20, 1000));
        ask(client, server);
        ExecutorService threads = Executors.newFixedThreadPool(5);
        Map<String, TestExchange> sent = new ConcurrentHashMap<>();
        List<Future<?>> senders = new ArrayList<>();
        for (int thread = 0; thread < 5; thread++) {
            String prefix = "body " + thread + "/";
            senders.add(threads.submit(() -> {
                for (int i = 0; i < 100; i++) {
                    String body = (prefix + i + ";").repeat(i + 1);
                    TestExchange exchange = new TestExchange();
                    sent.put(body, exchange);
                    exchange.returned(client.execute(AsyncExecuteRequest.builder()
                            .request(post(server.address(), body.length()).build())
                            .requestContentPublisher(TestBodies.of(body))
                            .responseHandler(exchange)
                            .build()));
                }
            }));
        }
        threads.shutdown();
        for (Future<?> sender : senders) {
            sender.get(20, TimeUnit.SECONDS);
        }
        assertThat(sent).hasSize(500);
        for (Map.Entry<String, TestExchange> each : sent.entrySet()) {
            assertThat(each.getValue().answer().body()).isEqualTo(each.getKey());
        }
        assertThat(server.connections()).hasSizeLessThanOrEqualTo(20);
        assertThat(server.requests()).hasSize(501);
    }

    @Test
    void requests_waitingForAConnectionThatIsClosed_getAnother() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        ScriptedServer server = server(Script.once((request, connection) -> {
            release.await();
            connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok");
        }));
        SdkAsyncHttpClient client = openForOneConnection();
        TestExchange first = sendFirst(client, server, "/first");
        TestExchange second = send(client, server, "/second");
        TestExchange third = send(client, server, "/third");
        release.countDown();
        for (TestExchange exchange : List.of(first, second, third)) {
            assertThat(exchange.answer().body()).isEqualTo("ok");
        }
        assertThat(server.connections()).hasSize(3);
    }

    @Test
    void requests_overConnectionsThatBreak_endAllAndLeaveThePlacesFree() throws Exception {
        ScriptedServer server = server(Script.each((request, connection) -> {
            if (request.target().endsWith("3")) {
                connection.close();
            } else if (request.target().endsWith("7")) {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfive.");
                connection.close();
            } else {
                connection.send(ok(request.target()));
            }
        }));
        SdkAsyncHttpClient client = open(new Options().withConnections(5, 1000));
        List<TestExchange> sent = IntStream.range(0, 200)
                .mapToObj(number -> send(client, server, "/" + number))
                .toList();
        for (int i = 0; i < sent.size(); i++) {
            if (i % 10 == 3 || i % 10 == 7) {
                isOfTheConnection(sent.get(i).failure());
            } else {
                assertThat(sent.get(i).answer().body()).isEqualTo("/" + i);
            }
        }
        List<TestExchange> later = IntStream.range(0, 5)
                .mapToObj(number -> send(client, server, "/later/0"))
                .toList();
        for (TestExchange exchange : later) {
            assertThat(exchange.answer().body()).isEqualTo("/later/0");
        }
    }

    // What fails

    Throwable brokenBy(Reply reply) throws Exception {
        ScriptedServer server = server(Script.once(reply), ECHO_PATH);
        SdkAsyncHttpClient client = openForOneConnection();
        Throwable failure = send(client, server, "/broken").failure();
        assertThat(send(client, server, "/next").answer().body()).isEqualTo("/next");
        assertThat(server.connections()).hasSize(2);
        assertThat(server.connection(0).awaitEnd()).isTrue();
        return failure;
    }

    void closedAfter(String bytes) throws Exception {
        isOfTheConnection(brokenBy((request, connection) -> {
            connection.send(bytes);
            connection.close();
        }));
    }

    @Test
    void connection_closedBeforeTheRequestIsRead_fails() throws Exception {
        ScriptedServer server = server((connection, input) -> connection.close());
        isOfTheConnection(send(open(), server, "/").failure());
    }

    @Test
    void connection_closedInsteadOfAnAnswer_fails() throws Exception {
        closedAfter("");
    }

    @Test
    void connection_closedAfterTheHead_fails() throws Exception {
        closedAfter("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n");
    }

    @Test
    void connection_closedWithinTheBody_fails() throws Exception {
        closedAfter("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfive.");
    }

    @Test
    void connection_closedWithinALargeBody_fails() throws Exception {
        closedAfter("HTTP/1.1 200 OK\r\nContent-Length: " + 2 * MEGABYTE + "\r\n\r\n" + TestBodies.random(MEGABYTE, 9));
    }

    @Test
    void answer_withALengthThatIsNoNumber_failsAndClosesTheConnection() throws Exception {
        brokenBy((request, connection) -> connection.send("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nbody"));
    }

    void timesOut(Reply reply) throws Exception {
        ScriptedServer server = server(Script.once(reply));
        SdkAsyncHttpClient client = open(new Options().withReadTimeout(Duration.ofMillis(300)));
        isOfTheConnection(send(client, server, "/").failure());
        assertThat(server.connection(0).awaitEnd()).isTrue();
    }

    @Test
    void answer_whichDoesNotCome_failsAndClosesTheConnection() throws Exception {
        timesOut((request, connection) -> {});
    }

    @Test
    void answer_whichStopsWithinTheBody_failsAndClosesTheConnection() throws Exception {
        timesOut((request, connection) -> connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfive."));
    }

    @Test
    void request_toAnUnknownHost_fails() throws Exception {
        // A name longer than names may be: nobody asks a server for it.
        URI address = URI.create("http://" + "x".repeat(64) + ".invalid:8000");
        TestExchange exchange = send(open(), get(address, "/"), TestBodies.of(), new TestExchange());
        assertThat(causes(exchange.failure())).anyMatch(UnknownHostException.class::isInstance);
    }

    @Test
    void request_toAServerThatDoesNotAccept_failsToConnectInTime() throws Exception {
        List<Socket> waiting = new ArrayList<>();
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getByName("localhost"))) {
            assumeThat(fill(full, waiting))
                    .as("the system lets connections wait")
                    .isTrue();
            TestExchange exchange = send(
                    open(new Options().withConnectTimeout(Duration.ofMillis(200))),
                    get(URI.create("http://localhost:" + full.getLocalPort()), "/"),
                    TestBodies.of(),
                    new TestExchange());
            isOfTheConnection(exchange.failure());
        } finally {
            for (Socket each : waiting) {
                each.close();
            }
        }
    }

    static boolean fill(ServerSocket server, List<Socket> waiting) throws IOException {
        for (int i = 0; i < 10; i++) {
            Socket socket = new Socket();
            waiting.add(socket);
            try {
                socket.connect(server.getLocalSocketAddress(), 300);
            } catch (SocketTimeoutException e) {
                return true;
            }
        }
        return false;
    }

    // Giving up

    @Test
    void request_cancelledWhileAnswered_closesTheConnectionAndMakesPlace() throws Exception {
        givenUp(future -> future.cancel(true));
    }

    @Test
    void request_timedOutByTheCaller_closesTheConnectionAndMakesPlace() throws Exception {
        givenUp(future -> future.completeExceptionally(new TimeoutException("given up")));
    }

    void givenUp(Predicate<CompletableFuture<Void>> how) throws Exception {
        ScriptedServer server = server(Script.neverAnswer(), ECHO_PATH);
        SdkAsyncHttpClient client = openForOneConnection();
        TestExchange exchange = sendFirst(client, server, "/given-up");
        TestExchange waiting = send(client, server, "/waiting");
        exchange.giveUp(how);
        assertThat(server.connection(0).awaitEnd()).isTrue();
        assertThat(waiting.answer().body()).isEqualTo("/waiting");
        assertThat(server.connections()).hasSize(2);
    }

    @Test
    void request_cancelledWithinTheAnswer_closesTheConnectionAndMakesPlace() throws Exception {
        ScriptedServer server = server(
                Script.once(
                        (request, connection) -> connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfive.")),
                ECHO_PATH);
        SdkAsyncHttpClient client = openForOneConnection();
        TestExchange exchange = sendFirst(client, server, "/given-up");
        TestExchange waiting = send(client, server, "/waiting");
        exchange.giveUp(future -> future.cancel(true));
        assertThat(server.connection(0).awaitEnd()).isTrue();
        assertThat(waiting.answer().body()).isEqualTo("/waiting");
    }

    @Test
    void request_cancelledAfterItsAnswer_doesNotDisturbTheNext() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        ScriptedServer server = server(Script.each((request, connection) -> {
            if (request.target().equals("/next")) {
                release.await();
            }
            connection.send(ok(request.target()));
        }));
        SdkAsyncHttpClient client = openForOneConnection();
        TestExchange first = send(client, server, "/first");
        first.answer();
        TestExchange next = send(client, server, "/next");
        Eventually.until(() -> server.requests().size() == 2);
        assertThat(first.future().cancel(true)).isFalse();
        release.countDown();
        assertThat(next.answer().body()).isEqualTo("/next");
        assertThat(server.connections()).hasSize(1);
    }

    @Test
    void request_cancelledWhileItWaitsForAConnection_isNeverSent() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        ScriptedServer server = server(Script.each((request, connection) -> {
            release.await();
            connection.send(ok(request.target()));
        }));
        SdkAsyncHttpClient client = openForOneConnection();
        TestExchange first = sendFirst(client, server, "/first");
        TestExchange cancelled = send(client, server, "/cancelled");
        TestExchange last = send(client, server, "/last");
        cancelled.giveUp(future -> future.cancel(true));
        release.countDown();
        assertThat(first.answer().body()).isEqualTo("/first");
        assertThat(last.answer().body()).isEqualTo("/last");
        assertThat(server.requests()).extracting(SeenRequest::target).containsExactly("/first", "/last");
    }

    // Closing

    @Test
    void closing_withIdleConnections_closesThem() throws Exception {
        ScriptedServer server = server(ECHO_PATH);
        SdkAsyncHttpClient client = open();
        ask(client, server);
        client.close();
        assertThat(server.connection(0).awaitEnd()).isTrue();
    }

    @Test
    void closing_withRequestsThatWait_failsThem() throws Exception {
        ScriptedServer server = server(Script.neverAnswer());
        SdkAsyncHttpClient client = openForOneConnection();
        sendFirst(client, server, "/under-way");
        TestExchange waiting = send(client, server, "/waiting");
        client.close();
        waiting.failure();
        assertThat(server.requests()).hasSize(1);
    }

    // TLS

    @Test
    void tls_withATrustedCertificate_works() throws Exception {
        TestCertificate certificate = TestCertificate.of("localhost");
        ScriptedServer server = tlsServer(certificate, ECHO_PATH);
        SdkAsyncHttpClient client = open(ONE_CONNECTION.withTrust(certificate));
        assertThat(send(client, server, "/one").answer().body()).isEqualTo("/one");
        assertThat(send(client, server, "/two").answer().body()).isEqualTo("/two");
        assertThat(server.connections()).hasSize(1);
        assertThat(server.requests().get(0).values("host"))
                .containsExactly(server.address().getAuthority());
    }

    @Test
    void tls_withLargeBodies_works() throws Exception {
        TestCertificate certificate = TestCertificate.of("localhost");
        ScriptedServer server =
                tlsServer(certificate, Script.each((request, connection) -> connection.send(ok(request.body() + "!"))));
        SdkAsyncHttpClient client = open(ONE_CONNECTION.withTrust(certificate));
        for (int seed = 0; seed < 2; seed++) {
            String body = TestBodies.random(MEGABYTE, seed);
            assertThat(send(client, server, TestBodies.of(body)).answer().body())
                    .isEqualTo(body + "!");
        }
        assertThat(server.connections()).hasSize(1);
    }

    void handshakeFails(TestCertificate certificate, Options options) throws Exception {
        ScriptedServer server = tlsServer(certificate, ECHO_PATH);
        SdkAsyncHttpClient client = open(options);
        for (int i = 0; i < 3; i++) { // each gives its place back
            Throwable failure = send(client, server, TestBodies.of("secret")).failure();
            assertThat(causes(failure)).anyMatch(SSLException.class::isInstance);
            assertThat(server.connection(i).awaitEnd()).isTrue();
        }
        assertThat(server.requests()).isEmpty();
    }

    @Test
    void tls_withACertificateNobodyVouchesFor_failsBeforeTheRequest() throws Exception {
        handshakeFails(TestCertificate.of("localhost"), ONE_CONNECTION);
    }

    @Test
    void tls_withACertificateOfAnotherHost_failsBeforeTheRequest() throws Exception {
        TestCertificate certificate = TestCertificate.of("dynamodb.example");
        handshakeFails(certificate, ONE_CONNECTION.withTrust(certificate));
    }

    @Test
    void tls_withAServerThatDoesNotShakeHands_failsInTime() throws Exception {
        ScriptedServer silent = server((connection, input) -> {});
        URI address = URI.create("https://localhost:" + silent.address().getPort());
        SdkAsyncHttpClient client = open(new Options().withTlsTimeout(Duration.ofMillis(300)));
        TestExchange exchange = send(client, get(address, "/"), TestBodies.of(), new TestExchange());
        isOfTheConnection(exchange.failure());
        assertThat(silent.connection(0).awaitEnd()).isTrue();
    }

    @Test
    void tls_withAServerThatEndsAnIdleConnection_replacesIt() throws Exception {
        TestCertificate certificate = TestCertificate.of("localhost");
        CountDownLatch idle = new CountDownLatch(1);
        ScriptedServer server = tlsServer(
                certificate,
                Script.once((request, connection) -> {
                    connection.send(ok("first"));
                    idle.await();
                    connection.endOutput();
                }),
                ECHO_PATH);
        SdkAsyncHttpClient client = open(new Options().withTrust(certificate));
        assertThat(ask(client, server).body()).isEqualTo("first");
        idle.countDown();
        assertThat(server.connection(0).awaitEnd()).isTrue();
        assertThat(send(client, server, "/next").answer().body()).isEqualTo("/next");
    }

    @Test
    void tls_withAServerThatClosesWithinTheAnswer_fails() throws Exception {
        TestCertificate certificate = TestCertificate.of("localhost");
        ScriptedServer server = tlsServer(certificate, Script.once((request, connection) -> {
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfive.");
            connection.close();
        }));
        SdkAsyncHttpClient client = open(new Options().withTrust(certificate));
        isOfTheConnection(send(client, server, "/").failure());
    }
}
