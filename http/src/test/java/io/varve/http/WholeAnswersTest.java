package io.varve.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.http.ScriptedConnection.Script;
import io.varve.http.TestExchange.Received;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.http.TlsTrustManagersProvider;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;

/** Our client delivers whole answers to their own requests and nothing else, where the SDK's is less strict. */
class WholeAnswersTest extends HttpClientFixture {
    private static final String NO_LENGTH = "HTTP/1.1 200 OK\r\n\r\nhow much is missing?";

    @Override
    SdkAsyncHttpClient client(HttpSettings settings, Optional<TlsTrustManagersProvider> trust) {
        return ClientUnderTest.VARVE.client(settings, trust);
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
        isOfTheConnection(send(open(certificate), server, "/").failure());
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
        SdkAsyncHttpClient client = open(ONE_CONNECTION.andThen(http -> http.maxAnswerSize(1000)));
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
            SdkAsyncHttpClient client = open(ONE_CONNECTION.andThen(http -> http.maxAnswerSize(1000)));
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
        SdkAsyncHttpClient client = open(http -> http.answerTimeout(Duration.ofMillis(300)));
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
        SdkAsyncHttpClient client = open(http -> http.answerTimeout(Duration.ofMillis(300)));
        isOfTheConnection(send(client, server, "/").failure());
        over.countDown();
        assertThat(server.connection(0).awaitEnd()).isTrue();
    }

    @Test
    void answer_afterAnInterimOne_isDelivered() throws Exception {
        Received answer =
                answerTo((request, connection) -> connection.send("HTTP/1.1 100 Continue\r\n\r\n" + ok("final")));
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("final");
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
}
