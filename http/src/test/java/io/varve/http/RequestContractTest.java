package io.varve.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.http.ScriptedConnection.Script;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;
import software.amazon.awssdk.http.async.SdkHttpContentPublisher;

/** The request arrives as it was asked for. */
class RequestContractTest extends HttpClientContract {
    @Test
    void request_withPathQueryAndHeaders_arrivesAsAsked() throws Exception {
        ScriptedServer server = server(Script.always(ok("")));
        SdkHttpRequest.Builder request = SdkHttpRequest.builder()
                .method(SdkHttpMethod.PUT)
                .uri(server.address())
                .encodedPath("/a%20path/of/it")
                .putRawQueryParameter("one", "1 & more")
                .putRawQueryParameter("two", List.of("x", "y"))
                .putHeader("X-Amz-Target", "DynamoDB_20120810.PutItem")
                .putHeader("x-mixed-CASE", List.of("first", "second"))
                .putHeader("Content-Length", "2");
        send(open(), request, TestBodies.of("{}"), new TestExchange()).answer();
        SeenRequest seen = server.requests().get(0);
        assertThat(seen.method()).isEqualTo("PUT");
        assertThat(seen.target()).isEqualTo("/a%20path/of/it?one=1%20%26%20more&two=x&two=y");
        assertThat(seen.values("X-Amz-Target")).containsExactly("DynamoDB_20120810.PutItem");
        assertThat(seen.values("X-Mixed-Case")).containsExactly("first", "second");
        assertThat(seen.values("Content-Length")).containsExactly("2");
        assertThat(seen.values("Transfer-Encoding")).isEmpty();
        assertThat(seen.values("Host")).containsExactly(server.address().getAuthority());
        assertThat(seen.body()).isEqualTo("{}");
    }

    @Test
    void request_withoutPath_asksForTheRoot() throws Exception {
        ScriptedServer server = server(Script.always(ok("")));
        send(open(), get(server.address(), ""), TestBodies.of(), new TestExchange())
                .answer();
        assertThat(server.requests().get(0).target()).isEqualTo("/");
    }

    @Test
    void request_withAHostOfItsOwn_keepsIt() throws Exception {
        ScriptedServer server = server(Script.always(ok("")));
        send(
                        open(),
                        get(server.address(), "/").putHeader("Host", "dynamodb.example"),
                        TestBodies.of(),
                        new TestExchange())
                .answer();
        assertThat(server.requests().get(0).values("host")).containsExactly("dynamodb.example");
    }

    void bodyArrives(SdkHttpContentPublisher body, String expected) throws Exception {
        ScriptedServer server = server(Script.always(ok("")));
        SdkAsyncHttpClient client = openForOneConnection();
        send(client, server, body).answer();
        ask(client, server); // the body left nothing on the connection that is taken for a request
        assertThat(server.connections()).hasSize(1);
        assertThat(server.requests()).hasSize(2);
        assertThat(server.requests().get(0).body()).isEqualTo(expected);
        assertThat(server.requests().get(1).body()).isEmpty();
    }

    @Test
    void body_whichIsEmpty_arrives() throws Exception {
        bodyArrives(TestBodies.of(), "");
    }

    @Test
    void body_inOnePiece_arrives() throws Exception {
        bodyArrives(TestBodies.of("{\"a\":\u00ff\u0000}"), "{\"a\":\u00ff\u0000}");
    }

    @Test
    void body_ofAMegabyte_arrives() throws Exception {
        String body = TestBodies.random(MEGABYTE, 1);
        bodyArrives(TestBodies.of(body), body);
    }

    @Test
    void body_inPiecesFromAnotherThread_arrives() throws Exception {
        String[] pieces = IntStream.range(0, 20)
                .mapToObj(seed -> TestBodies.random(seed * 1000, seed))
                .toArray(String[]::new);
        bodyArrives(TestBodies.fromAnotherThread(pieces), String.join("", pieces));
    }

    @Test
    void body_whosePublisherFails_failsAndIsNeverARequest() throws Exception {
        ScriptedServer server = server(ECHO_PATH);
        SdkAsyncHttpClient client = openForOneConnection();
        IllegalStateException failure = new IllegalStateException("no more");
        TestExchange exchange = send(client, server, TestBodies.failing(10, failure, "four"));
        assertThat(causes(exchange.failure())).contains(failure);
        assertThat(send(client, server, "/next").answer().body()).isEqualTo("/next");
        assertThat(server.requests()).hasSize(1);
        if (server.connections().size() > 1) { // the incomplete one was begun
            assertThat(server.connection(0).awaitEnd()).isTrue();
        }
    }
}
