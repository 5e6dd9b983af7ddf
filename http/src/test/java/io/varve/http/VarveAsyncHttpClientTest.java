package io.varve.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import io.varve.http.ScriptedConnection.Script;
import io.varve.http.TestExchange.Received;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;

/** Our client keeps the contract, and notices more: what the SDK's takes for whole answers. */
class VarveAsyncHttpClientTest extends HttpClientContract {
    private static final EventLoopGroup THREADS = new NioEventLoopGroup(2, new DefaultThreadFactory("http", true));
    private static final ExecutorService ANSWERS =
            Executors.newFixedThreadPool(2, new DefaultThreadFactory("answers", true));
    private static final long LITTLE_STACK = 160 * 1024;

    @Override
    SdkAsyncHttpClient client(Options options) {
        return client(options, ANSWERS);
    }

    private SdkAsyncHttpClient open(Options options, Executor answers) {
        return closedAfterwards(client(options, answers));
    }

    private static SdkAsyncHttpClient client(Options options, Executor answers) {
        return client(options, answers, THREADS);
    }

    static SdkAsyncHttpClient client(Options options, Executor answers, EventLoopGroup threads) {
        HttpSettings.Builder settings = HttpSettings.builder()
                .maxConcurrency(options.maxConnections())
                .maxPendingAcquires(options.maxPending())
                .acquireTimeout(options.acquireTimeout())
                .connectTimeout(options.connectTimeout())
                .tlsTimeout(options.tlsTimeout())
                .readTimeout(options.readTimeout())
                .answerTimeout(options.answerTimeout())
                .maxAnswerSize(options.maxAnswerSize())
                .idleTimeout(options.idleTimeout());
        options.timeToLive().ifPresent(settings::timeToLive);
        return new VarveAsyncHttpClient(
                settings.build(),
                new Threads(threads, NioSocketChannel::new, answers, () -> {}),
                () -> options.trust().orElse(null));
    }

    @Test
    void connection_closedWithinTheHead_fails() throws Exception {
        closedAfter("HTTP/1.1 200 OK\r\nContent-Le");
    }

    @Test
    void connection_closedBeforeTheFirstChunk_fails() throws Exception {
        closedAfter(CHUNKED);
    }

    @Test
    void connection_closedWithinAChunk_fails() throws Exception {
        closedAfter(CHUNKED + "a\r\nfive.");
    }

    @Test
    void connection_closedBetweenChunks_fails() throws Exception {
        closedAfter(CHUNKED + chunk("first"));
    }

    @Test
    void answer_whichIsNotHttp_failsAndClosesTheConnection() throws Exception {
        brokenBy((request, connection) -> connection.send("220 mail.example ESMTP ready\r\n\r\n"));
    }

    @Test
    void answer_withAChunkThatHasNoSize_failsAndClosesTheConnection() throws Exception {
        brokenBy((request, connection) -> connection.send(CHUNKED + chunk("first") + "many\r\nbody\r\n"));
    }

    @Test
    void connection_onWhichTheServerTalksUnasked_isClosed() throws Exception {
        CountDownLatch idle = new CountDownLatch(1);
        ScriptedServer server = server(
                Script.once((request, connection) -> {
                    connection.send(ok("first"));
                    idle.await();
                    connection.send(ok("unasked"));
                }),
                ECHO_PATH);
        SdkAsyncHttpClient client = openForOneConnection();
        assertThat(ask(client, server).body()).isEqualTo("first");
        idle.countDown();
        assertThat(server.connection(0).awaitEnd()).isTrue();
        assertThat(send(client, server, "/next").answer().body()).isEqualTo("/next");
    }

    @Test
    void connection_withAnyPartOfAnotherAnswer_isClosedAndFailsItsRequest() throws Exception {
        String surplus = ok("unasked");
        for (int length = 1; length <= surplus.length(); length++) {
            String rest = surplus.substring(0, length);
            isOfTheConnection(brokenBy((request, connection) -> connection.send(ok("first") + rest)));
        }
    }

    @Test
    void connection_withALineBreakAfterTheAnswer_isClosedAndFailsItsRequest() throws Exception {
        isOfTheConnection(brokenBy((request, connection) -> connection.send(ok("first") + "\r\n")));
    }

    @Test
    void connection_withTheBeginningOfAnotherAnswer_doesNotGlueItToTheNext() throws Exception {
        ScriptedServer server = server(
                (connection, input) -> {
                    input.request(connection);
                    connection.send(ok("first") + "HTTP/1.1 200 OK\r\nX-Glue: ");
                    input.request(connection);
                    connection.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\n{}");
                },
                ECHO_PATH);
        SdkAsyncHttpClient client = openForOneConnection();
        isOfTheConnection(send(client, server, "/first").failure());
        Received next = send(client, server, "/next").answer();
        assertThat(next.head().headers()).doesNotContainKey("X-Glue");
        assertThat(next.body()).isEqualTo("/next");
    }

    @Test
    void answer_afterSomethingElse_fails() throws Exception {
        for (String before : List.of("\r\n", " ", "\0", "x\r\n")) {
            isOfTheConnection(brokenBy((request, connection) -> connection.send(before + ok("late"))));
        }
    }

    private static final String NO_LENGTH = "HTTP/1.1 200 OK\r\n\r\nhow much is missing?";

    @Test
    void answer_withoutLength_fails() throws Exception {
        closedAfter(NO_LENGTH);
    }

    @Test
    void tls_withAnAnswerWithoutLength_fails() throws Exception {
        TestCertificate certificate = TestCertificate.of("localhost");
        ScriptedServer server = tlsServer(certificate, Script.once((request, connection) -> {
            connection.send(NO_LENGTH);
            connection.close();
        }));
        isOfTheConnection(
                send(open(new Options().withTrust(certificate)), server, "/").failure());
    }

    @Test
    void answer_inAnotherEncodingThanChunks_fails() throws Exception {
        for (String encoding : List.of("gzip, chunked", "identity", "chunked\r\nTransfer-Encoding: chunked")) {
            isOfTheConnection(brokenBy((request, connection) ->
                    connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: " + encoding + "\r\n\r\n0\r\n\r\n")));
        }
    }

    @Test
    void answer_withAStatusThatIsNone_fails() throws Exception {
        for (int status : new int[] {0, 99, 600, 2000}) {
            isOfTheConnection(brokenBy((request, connection) ->
                    connection.send("HTTP/1.1 " + status + " Odd\r\nContent-Length: 2\r\n\r\n{}")));
        }
    }

    private void isTooLarge(String answer) throws Exception {
        ScriptedServer server = server(Script.once((request, connection) -> connection.send(answer)), ECHO_PATH);
        SdkAsyncHttpClient client = open(ONE_CONNECTION.withMaxAnswerSize(1000));
        assertThat(causes(send(client, server, "/large").failure()))
                .anyMatch(cause -> String.valueOf(cause.getMessage()).contains("http.max-answer-size"));
        assertThat(server.connection(0).awaitEnd()).isTrue();
        assertThat(send(client, server, "/next").answer().body()).isEqualTo("/next");
    }

    @Test
    void answer_announcedAsTooLarge_failsAtOnce() throws Exception {
        isTooLarge("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n");
        isTooLarge("HTTP/1.1 200 OK\r\nContent-Length: " + Long.MAX_VALUE + "\r\n\r\n");
    }

    @Test
    void answer_inChunksThatAreTooMuchTogether_fails() throws Exception {
        isTooLarge(CHUNKED + chunk("x".repeat(600)) + chunk("x".repeat(401)));
    }

    @Test
    void answer_asLargeAsAllowed_isDelivered() throws Exception {
        String body = "x".repeat(1000);
        ScriptedServer server = server(
                Script.once((request, connection) -> connection.send(ok(body))),
                Script.once((request, connection) -> connection.send(CHUNKED + chunk(body) + chunk(""))));
        for (int i = 0; i < 2; i++) {
            SdkAsyncHttpClient client = open(ONE_CONNECTION.withMaxAnswerSize(1000));
            assertThat(ask(client, server).body()).isEqualTo(body);
        }
    }

    @Test
    void answer_whichTrickles_failsInTime() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        ScriptedServer server = server(Script.once((request, connection) -> {
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n");
            while (!over.await(10, TimeUnit.MILLISECONDS)) {
                connection.send("x");
            }
        }));
        SdkAsyncHttpClient client = open(new Options().withAnswerTimeout(Duration.ofMillis(300)));
        assertThat(causes(send(client, server, "/").failure()))
                .anyMatch(cause -> String.valueOf(cause.getMessage()).contains("http.answer-timeout"));
        over.countDown();
        assertThat(server.connection(0).awaitEnd()).isTrue();
    }

    @Test
    void interimAnswers_withoutEnd_failInTime() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        ScriptedServer server = server(Script.once((request, connection) -> {
            while (!over.await(10, TimeUnit.MILLISECONDS)) {
                connection.send("HTTP/1.1 100 Continue\r\n\r\n");
            }
        }));
        SdkAsyncHttpClient client = open(new Options().withAnswerTimeout(Duration.ofMillis(300)));
        isOfTheConnection(send(client, server, "/").failure());
        over.countDown();
        assertThat(server.connection(0).awaitEnd()).isTrue();
    }

    @Test
    void expiredConnections_howeverMany_endWithANewOneAndAnAnswer() throws Exception {
        int many = 400;
        CountDownLatch arrived = new CountDownLatch(many);
        ScriptedServer server = server(Script.each((request, connection) -> {
            arrived.countDown();
            arrived.await();
            connection.send(ok(request.target()));
        }));
        ThreadFactory little = task -> new Thread(null, task, "little-stack", LITTLE_STACK);
        EventLoopGroup thread = new NioEventLoopGroup(1, little);
        try {
            SdkAsyncHttpClient client = closedAfterwards(client(
                    new Options().withConnections(many, many).withTimeToLive(Duration.ofNanos(1)), ANSWERS, thread));
            List<TestExchange> first = IntStream.range(0, many)
                    .mapToObj(number -> send(client, server, "/" + number))
                    .toList();
            for (TestExchange exchange : first) {
                exchange.answer();
            }
            assertThat(send(client, server, "/next").answer().body()).isEqualTo("/next");
            assertThat(server.connections()).hasSize(many + 1);
        } finally {
            thread.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        }
    }

    @Test
    void closing_withRequestsUnderWay_failsThem() throws Exception {
        ScriptedServer server = server(Script.neverAnswer());
        SdkAsyncHttpClient client = open();
        TestExchange underWay = sendFirst(client, server, "/under-way");
        client.close();
        underWay.failure();
        assertThat(server.connection(0).awaitEnd()).isTrue();
    }

    @Test
    void closed_refusesRequests() throws Exception {
        ScriptedServer server = server(ECHO_PATH);
        SdkAsyncHttpClient client = open();
        ask(client, server);
        client.close();
        client.close();
        assertThatThrownBy(() -> send(client, server, "/late").future().get(10, TimeUnit.SECONDS))
                .isNotInstanceOf(TimeoutException.class);
        assertThat(server.requests()).hasSize(1);
    }

    @Test
    void answer_afterAnInterimOne_isDelivered() throws Exception {
        Received answer =
                answerTo((request, connection) -> connection.send("HTTP/1.1 100 Continue\r\n\r\n" + ok("final")));
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("final");
    }

    @Test
    void closing_withinAHandshake_failsItsRequest() throws Exception {
        ScriptedServer silent = server((connection, input) -> {});
        URI address = URI.create("https://localhost:" + silent.address().getPort());
        SdkAsyncHttpClient client = open();
        TestExchange exchange = send(client, get(address, "/"), TestBodies.of(), new TestExchange());
        ScriptedConnection connection = silent.connection(0);
        client.close();
        exchange.failure();
        assertThat(connection.awaitEnd()).isTrue();
    }

    @Test
    void request_toAClosedPort_failsToConnect() throws Exception {
        try (Socket deaf = new Socket()) { // has the port, so that nobody else gets it, and does not listen
            deaf.bind(new InetSocketAddress(InetAddress.getByName("localhost"), 0));
            URI address = URI.create("http://localhost:" + deaf.getLocalPort());
            SdkAsyncHttpClient client = openForOneConnection();
            for (int i = 0; i < 3; i++) { // each gives its place back
                TestExchange exchange = send(client, get(address, "/"), TestBodies.of(), new TestExchange());
                assertThat(causes(exchange.failure())).anyMatch(ConnectException.class::isInstance);
            }
        }
    }

    @Test
    void executor_withoutThreads_costsNeitherTheEndNorThePlace() throws Exception {
        ScriptedServer server = server(Script.once((request, connection) -> connection.close()), ECHO_PATH);
        AtomicBoolean exhausted = new AtomicBoolean(true);
        SdkAsyncHttpClient client = open(ONE_CONNECTION, task -> {
            if (exhausted.getAndSet(false)) {
                throw new OutOfMemoryError("no threads, in a test");
            }
            ANSWERS.execute(task);
        });
        send(client, server, "/closed").failure();
        assertThat(send(client, server, "/next").answer().body()).isEqualTo("/next");
    }

    @Test
    void executor_whichRejects_isPassedBy() throws Exception {
        ScriptedServer server = server(ECHO_PATH);
        SdkAsyncHttpClient client = open(ONE_CONNECTION, task -> {
            throw new RejectedExecutionException("closed, in a test");
        });
        assertThat(send(client, server, "/any").answer().body()).isEqualTo("/any");
    }

    @Test
    void handler_whichThrowsWhenToldOfAFailure_doesNotDisturbTheNext() throws Exception {
        ScriptedServer server = server(Script.once((request, connection) -> connection.close()), ECHO_PATH);
        SdkAsyncHttpClient client = openForOneConnection();
        TestExchange broken = new TestExchange() {
            @Override
            public void onError(Throwable error) {
                super.onError(error);
                throw new IllegalStateException("cannot bear it, in a test");
            }
        };
        send(client, get(server.address(), "/closed"), TestBodies.of(), broken).failure();
        assertThat(send(client, server, "/next").answer().body()).isEqualTo("/next");
    }

    @Test
    void timeToLive_shorterThanConnecting_isOneRequestForEachConnection() throws Exception {
        ScriptedServer server = server(ECHO_PATH);
        SdkAsyncHttpClient client = open(ONE_CONNECTION.withTimeToLive(Duration.ofNanos(1)));
        for (int i = 0; i < 3; i++) {
            assertThat(send(client, server, "/" + i).answer().body()).isEqualTo("/" + i);
        }
        assertThat(server.connections()).hasSize(3);
    }

    @Test
    void connection_whichCannotBeMadeWhileAnotherWorks_failsNobody() throws Exception {
        CountDownLatch refusing = new CountDownLatch(1);
        ScriptedServer server = server(Script.each((request, connection) -> {
            refusing.await();
            connection.send(ok(request.target()));
        }));
        SdkAsyncHttpClient client = open(new Options().withConnections(2, 1000));
        TestExchange first = sendFirst(client, server, "/first");
        server.refuse();
        List<TestExchange> waiting = IntStream.range(0, 20)
                .mapToObj(number -> send(client, server, "/" + number))
                .toList();
        refusing.countDown();
        assertThat(first.answer().body()).isEqualTo("/first");
        for (int i = 0; i < waiting.size(); i++) {
            assertThat(waiting.get(i).answer().body()).isEqualTo("/" + i);
        }
        assertThat(server.connections()).hasSize(1);
    }

    @Test
    void endpoint_withAPortThatIsNone_failsAndCostsNoPlace() throws Exception {
        SdkAsyncHttpClient client = openForOneConnection();
        for (int i = 0; i < 2; i++) {
            TestExchange exchange = send(
                    client, get(URI.create("http://localhost"), "/").port(70_000), TestBodies.of(), new TestExchange());
            assertThat(causes(exchange.failure())).anyMatch(IllegalArgumentException.class::isInstance);
        }
    }

    @Test
    void answer_beforeTheRequestIsSent_isDeliveredAndEndsTheConnection() throws Exception {
        CountDownLatch received = new CountDownLatch(1);
        ScriptedServer server = server(
                (connection, input) -> {
                    input.head();
                    connection.send(ok("early"));
                    received.await(); // the rest of the request stays where it is
                },
                ECHO_PATH);
        SdkAsyncHttpClient client = openForOneConnection();
        TestExchange exchange = send(client, server, TestBodies.of("x".repeat(30 * MEGABYTE)));
        assertThat(exchange.answer().body()).isEqualTo("early");
        received.countDown();
        assertThat(send(client, server, "/next").answer().body()).isEqualTo("/next");
        assertThat(server.connections()).hasSize(2);
    }

    @Test
    void answer_whichSwitchesProtocols_fails() throws Exception {
        brokenBy((request, connection) ->
                connection.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: upgrade\r\n\r\n"));
    }

    @Test
    void requests_givenUpAtAnyPoint_leaveThePlacesFree() throws Exception {
        ScriptedServer server = server(Script.each((request, connection) -> {
            if (request.target().startsWith("/close")) {
                connection.close();
            } else if (request.target().startsWith("/echo")) {
                connection.send(ok(request.target()));
            }
        }));
        SdkAsyncHttpClient client = open(new Options().withConnections(3, 10_000));
        Random random = new Random(1);
        List<String> kinds = List.of("/echo", "/close", "/hang");
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            TestExchange exchange = send(client, server, kinds.get(random.nextInt(3)));
            exchange.ignoreErrors();
            all.add(exchange.future());
            all.get(random.nextInt(all.size())).cancel(false);
        }
        all.forEach(future -> future.cancel(false));
        List<TestExchange> last = IntStream.range(0, 3)
                .mapToObj(number -> send(client, server, "/hang/last"))
                .toList();
        Eventually.until(() -> server.requests().stream()
                        .filter(request -> request.target().equals("/hang/last"))
                        .count()
                == 3); // all three at the same time: no place is lost
        last.forEach(exchange -> exchange.giveUp(future -> future.cancel(false)));
    }

    @Test
    void closing_whileARequestIsOnItsWay_endsIt() throws Exception {
        ScriptedServer server = server(ECHO_PATH);
        for (int i = 0; i < 100; i++) {
            SdkAsyncHttpClient client = open();
            TestExchange exchange = send(client, server, "/any");
            exchange.ignoreErrors();
            client.close();
            exchange.future().exceptionally(failure -> null).get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void names_areNotLookedUpOnTheThreadsOfConnections() throws Exception {
        List<Runnable> lookups = new CopyOnWriteArrayList<>();
        EventLoop connections = THREADS.next();
        Future<InetSocketAddress> address = connections
                .submit(() -> new NameLookups(lookups::add)
                        .getResolver(connections)
                        .resolve(InetSocketAddress.createUnresolved("localhost", 80)))
                .get(10, TimeUnit.SECONDS);
        assertThat(address.isDone()).isFalse();
        assertThat(lookups).hasSize(1);
        lookups.get(0).run();
        assertThat(address.get(10, TimeUnit.SECONDS).isUnresolved()).isFalse();
    }
}
