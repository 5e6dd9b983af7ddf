package io.varve.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.varve.http.ScriptedConnection.Script;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.http.TlsTrustManagersProvider;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;

/** Connections, threads and the end of our client. */
class VarveAsyncHttpClientTest extends HttpClientFixture {
    private static final long LITTLE_STACK = 160 * 1024;

    @Override
    SdkAsyncHttpClient client(HttpSettings settings, Optional<TlsTrustManagersProvider> trust) {
        return ClientUnderTest.VARVE.client(settings, trust);
    }

    private SdkAsyncHttpClient open(Consumer<HttpSettings.Builder> changes, Executor answers) {
        return closedAfterwards(ClientUnderTest.varve(settings(changes), Optional.empty(), answers));
    }

    /** Not part of the contract: the SDK's own client has been seen to lose the failure, so that the request ends with its time. */
    @Test
    void request_toAnUnknownHost_fails() throws Exception {
        // A name longer than names may be: nobody asks a server for it.
        URI address = URI.create("http://" + "x".repeat(64) + ".invalid:8000");
        TestExchange exchange = send(open(), get(address, "/"), TestBodies.of(), new TestExchange());
        assertThat(causes(exchange.failure())).anyMatch(UnknownHostException.class::isInstance);
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
            SdkAsyncHttpClient client = closedAfterwards(ClientUnderTest.varve(
                    settings(http ->
                            http.maxConcurrency(many).maxPendingAcquires(many).timeToLive(Duration.ofNanos(1))),
                    Optional.empty(),
                    ClientUnderTest.ANSWERS,
                    thread));
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
    void builder_takesWhoIsTrusted() throws Exception {
        TestCertificate certificate = TestCertificate.of("localhost");
        ScriptedServer server = tlsServer(certificate, ECHO_PATH);
        SdkAsyncHttpClient client = closedAfterwards(VarveAsyncHttpClient.builder()
                .tlsTrustManagersProvider(certificate.trust())
                .build());
        assertThat(send(client, server, "/trusted").answer().body()).isEqualTo("/trusted");
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
            ClientUnderTest.ANSWERS.execute(task);
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
        SdkAsyncHttpClient client = open(ONE_CONNECTION.andThen(http -> http.timeToLive(Duration.ofNanos(1))));
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
        SdkAsyncHttpClient client = open(http -> http.maxConcurrency(2).maxPendingAcquires(1000));
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
    void requests_givenUpAtAnyPoint_leaveThePlacesFree() throws Exception {
        ScriptedServer server = server(Script.each((request, connection) -> {
            if (request.target().startsWith("/close")) {
                connection.close();
            } else if (request.target().startsWith("/echo")) {
                connection.send(ok(request.target()));
            }
        }));
        SdkAsyncHttpClient client = open(http -> http.maxConcurrency(3).maxPendingAcquires(10_000));
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
}
