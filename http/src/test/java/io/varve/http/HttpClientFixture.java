package io.varve.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.http.ScriptedConnection.Reply;
import io.varve.http.ScriptedConnection.Script;
import io.varve.http.TestExchange.Received;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.TlsTrustManagersProvider;
import software.amazon.awssdk.http.async.AsyncExecuteRequest;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;
import software.amazon.awssdk.http.async.SdkHttpContentPublisher;

/** Servers that answer as scripted, clients for them, and what they send to each other. */
abstract class HttpClientFixture {
    static final int MEGABYTE = 1024 * 1024;
    static final Consumer<HttpSettings.Builder> ONE_CONNECTION =
            http -> http.maxConcurrency(1).maxPendingAcquires(10);
    static final String CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    static final Script ECHO_PATH = Script.each((request, connection) -> connection.send(ok(request.target())));

    private static final Duration LONG = Duration.ofSeconds(30);

    private final List<TestExchange> exchanges = new ArrayList<>();
    private final List<AutoCloseable> opened = new ArrayList<>();

    /** A new client; this closes it. */
    abstract SdkAsyncHttpClient client(HttpSettings settings, Optional<TlsTrustManagersProvider> trust);

    /** Settings whose limits are not reached, except for what is changed. */
    static HttpSettings settings(Consumer<HttpSettings.Builder> changes) {
        HttpSettings.Builder settings = HttpSettings.builder()
                .maxConcurrency(10)
                .maxPendingAcquires(1000)
                .acquireTimeout(LONG)
                .connectTimeout(LONG)
                .tlsTimeout(LONG)
                .readTimeout(LONG)
                .answerTimeout(LONG)
                .idleTimeout(LONG);
        changes.accept(settings);
        return settings.build();
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
        exchanges.forEach(TestExchange::checkErrors); // after closing, which may tell of some again
    }

    SdkAsyncHttpClient open() {
        return open(http -> {});
    }

    SdkAsyncHttpClient open(Consumer<HttpSettings.Builder> changes) {
        return closedAfterwards(client(settings(changes), Optional.empty()));
    }

    SdkAsyncHttpClient open(TestCertificate trusted) {
        return open(trusted, http -> {});
    }

    /** A client that trusts this certificate and no other. */
    SdkAsyncHttpClient open(TestCertificate trusted, Consumer<HttpSettings.Builder> changes) {
        return closedAfterwards(client(settings(changes), Optional.of(trusted.trust())));
    }

    SdkAsyncHttpClient closedAfterwards(SdkAsyncHttpClient client) {
        opened.add(0, client);
        return client;
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

    static SdkHttpRequest.Builder post(URI address, long length) {
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

    /** The answer to a request to which the server replies so. */
    Received answerTo(Reply reply) throws Exception {
        return ask(open(), server(Script.once(reply)));
    }

    /** The failure of a request to which the server replies so; the next one gets another connection. */
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
}
