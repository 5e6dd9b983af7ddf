package io.varve.store.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.varve.store.http.ScriptedConnection.Script;
import io.varve.store.http.TestExchange.Received;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;

/** Our client keeps the contract, and notices more: what the SDK's takes for whole answers. */
class HttpTransportTest extends HttpClientContract {
    private static final EventLoopGroup THREADS = new NioEventLoopGroup(2, new DefaultThreadFactory("http", true));
    private static final ExecutorService ANSWERS =
            Executors.newFixedThreadPool(2, new DefaultThreadFactory("answers", true));

    @Override
    SdkAsyncHttpClient client(Options options) {
        HttpSettings settings = new HttpSettings(
                HttpSettings.Implementation.VARVE,
                options.maxConnections(),
                options.maxPending(),
                options.acquireTimeout(),
                options.connectTimeout(),
                options.tlsTimeout(),
                options.readTimeout(),
                options.idleTimeout(),
                options.timeToLive(),
                false,
                Optional.empty(),
                Optional.empty());
        return new HttpTransport(
                settings,
                THREADS,
                NioSocketChannel::new,
                ANSWERS,
                tls -> options.trust().ifPresent(trust -> tls.trustManager(trust[0])));
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
}
