package io.varve.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.http.ScriptedConnection.Script;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;

/** A client that is closed leaves nothing. */
class ClosingContractTest extends HttpClientContract {
    @Test
    void closing_withIdleConnections_closesThem() throws Exception {
        ScriptedServer server = server(ECHO_PATH);
        SdkAsyncHttpClient client = open();
        ask(client, server);
        client.close();
        assertThat(server.connection(0).awaitEnd()).isTrue();
    }

    @Test
    void closing_withRequestsThatWait_failsThem() throws Exception {
        ScriptedServer server = server(Script.neverAnswer());
        SdkAsyncHttpClient client = openForOneConnection();
        sendFirst(client, server, "/under-way");
        TestExchange waiting = send(client, server, "/waiting");
        client.close();
        waiting.failure();
        assertThat(server.requests()).hasSize(1);
    }
}
