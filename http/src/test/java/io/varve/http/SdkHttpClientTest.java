package io.varve.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.http.TestExchange.Received;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.http.TlsTrustManagersProvider;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;

/** Where the SDK's own client differs from ours. */
class SdkHttpClientTest extends HttpClientFixture {
    @Override
    SdkAsyncHttpClient client(HttpSettings settings, Optional<TlsTrustManagersProvider> trust) {
        return ClientUnderTest.SDK.client(settings, trust);
    }

    @Test
    void answer_withoutLength_endsWithTheConnection() throws Exception {
        String body = TestBodies.random(100_000, 7);
        Received answer = answerTo((request, connection) -> {
            connection.send("HTTP/1.1 200 OK\r\n\r\n" + body);
            connection.close();
        });
        assertThat(answer.body()).isEqualTo(body);
    }
}
