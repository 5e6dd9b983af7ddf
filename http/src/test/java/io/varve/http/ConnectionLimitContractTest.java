package io.varve.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.http.ScriptedConnection.Script;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.http.async.AsyncExecuteRequest;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;

/** There are no more connections than allowed; requests wait for one. */
class ConnectionLimitContractTest extends HttpClientContract {
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
        SdkAsyncHttpClient client = open(http -> http.maxConcurrency(3).maxPendingAcquires(10));
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
        SdkAsyncHttpClient client = open(http -> http.maxConcurrency(1).maxPendingAcquires(1));
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
                open(http -> http.maxConcurrency(1).maxPendingAcquires(10).acquireTimeout(Duration.ofSeconds(1)));
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
        SdkAsyncHttpClient client = open(http -> http.maxConcurrency(20).maxPendingAcquires(1000));
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
        SdkAsyncHttpClient client = open(http -> http.maxConcurrency(5).maxPendingAcquires(1000));
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
}
