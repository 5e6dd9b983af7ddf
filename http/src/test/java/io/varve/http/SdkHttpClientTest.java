package io.varve.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.varve.http.TestExchange.Received;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.http.nio.netty.SdkEventLoopGroup;

/** The SDK's own client, which shows that the contract is what the SDK expects. */
class SdkHttpClientTest extends HttpClientContract {
    private static final EventLoopGroup THREADS = new NioEventLoopGroup(2, new DefaultThreadFactory("sdk-http", true));

    @Override
    SdkAsyncHttpClient client(Options options) {
        NettyNioAsyncHttpClient.Builder http = NettyNioAsyncHttpClient.builder()
                .eventLoopGroup(SdkEventLoopGroup.create(THREADS))
                .maxConcurrency(options.maxConnections())
                .maxPendingConnectionAcquires(options.maxPending())
                .connectionAcquisitionTimeout(options.acquireTimeout())
                .connectionTimeout(options.connectTimeout())
                .tlsNegotiationTimeout(options.tlsTimeout())
                .readTimeout(options.readTimeout())
                .connectionMaxIdleTime(options.idleTimeout());
        options.timeToLive().ifPresent(http::connectionTimeToLive);
        options.trust().ifPresent(trust -> http.tlsTrustManagersProvider(() -> trust));
        return http.build();
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
