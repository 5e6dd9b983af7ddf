package io.varve.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.http.ScriptedConnection.Script;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;

/** A request that is given up disturbs no other. */
class GivingUpContractTest extends HttpClientContract {
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
}
