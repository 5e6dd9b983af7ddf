package io.varve.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.varve.http.ScriptedConnection.Script;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;

/** Connections are used again, while both sides want that. */
class KeptConnectionsContractTest extends HttpClientContract {
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
        SdkAsyncHttpClient client = open(http -> http.idleTimeout(Duration.ofMillis(200)));
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
        SdkAsyncHttpClient client = open(http -> http.idleTimeout(Duration.ofMillis(200)));
        TestExchange slow = sendFirst(client, server, "/slow");
        send(client, server, "/quick").answer();
        assertThat(server.connection(1).awaitEnd()).isTrue(); // idle later than the other waits
        otherClosed.countDown();
        assertThat(slow.answer().body()).isEqualTo("/slow");
    }

    @Test
    void connection_olderThanItsTimeToLive_isReplaced() throws Exception {
        ScriptedServer server = server(ECHO_PATH);
        SdkAsyncHttpClient client = open(ONE_CONNECTION.andThen(http -> http.timeToLive(Duration.ofMillis(300))));
        await().pollInterval(Duration.ofMillis(50)).until(() -> {
            assertThat(send(client, server, "/any").answer().body()).isEqualTo("/any");
            return server.connections().size() >= 2;
        });
        assertThat(server.connection(0).awaitEnd()).isTrue();
    }
}
