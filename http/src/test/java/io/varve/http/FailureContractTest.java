package io.varve.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.varve.http.ScriptedConnection.Reply;
import io.varve.http.ScriptedConnection.Script;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;

/** What goes wrong fails its request in time, and nothing else. */
class FailureContractTest extends HttpClientContract {
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
        SdkAsyncHttpClient client = open(http -> http.readTimeout(Duration.ofMillis(300)));
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
    void request_toAServerThatDoesNotAccept_failsToConnectInTime() throws Exception {
        List<Socket> waiting = new ArrayList<>();
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getByName("localhost"))) {
            assumeThat(fill(full, waiting))
                    .as("the system lets connections wait")
                    .isTrue();
            TestExchange exchange = send(
                    open(http -> http.connectTimeout(Duration.ofMillis(200))),
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
}
