package io.varve.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.http.ScriptedConnection.Script;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;

/** TLS protects the request before it is sent. */
class TlsContractTest extends HttpClientContract {
    @Test
    void tls_withATrustedCertificate_works() throws Exception {
        TestCertificate certificate = TestCertificate.of("localhost");
        ScriptedServer server = tlsServer(certificate, ECHO_PATH);
        SdkAsyncHttpClient client = open(certificate, ONE_CONNECTION);
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
        SdkAsyncHttpClient client = open(certificate, ONE_CONNECTION);
        for (int seed = 0; seed < 2; seed++) {
            String body = TestBodies.random(MEGABYTE, seed);
            assertThat(send(client, server, TestBodies.of(body)).answer().body())
                    .isEqualTo(body + "!");
        }
        assertThat(server.connections()).hasSize(1);
    }

    void handshakeFails(TestCertificate certificate, SdkAsyncHttpClient client) throws Exception {
        ScriptedServer server = tlsServer(certificate, ECHO_PATH);
        for (int i = 0; i < 3; i++) { // each gives its place back
            Throwable failure = send(client, server, TestBodies.of("secret")).failure();
            assertThat(causes(failure)).anyMatch(SSLException.class::isInstance);
            assertThat(server.connection(i).awaitEnd()).isTrue();
        }
        assertThat(server.requests()).isEmpty();
    }

    @Test
    void tls_withACertificateNobodyVouchesFor_failsBeforeTheRequest() throws Exception {
        handshakeFails(TestCertificate.of("localhost"), openForOneConnection());
    }

    @Test
    void tls_withACertificateOfAnotherHost_failsBeforeTheRequest() throws Exception {
        TestCertificate certificate = TestCertificate.of("dynamodb.example");
        handshakeFails(certificate, open(certificate, ONE_CONNECTION));
    }

    @Test
    void tls_withAServerThatDoesNotShakeHands_failsInTime() throws Exception {
        ScriptedServer silent = server((connection, input) -> {});
        URI address = URI.create("https://localhost:" + silent.address().getPort());
        SdkAsyncHttpClient client = open(http -> http.tlsTimeout(Duration.ofMillis(300)));
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
        SdkAsyncHttpClient client = open(certificate);
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
        SdkAsyncHttpClient client = open(certificate);
        isOfTheConnection(send(client, server, "/").failure());
    }
}
