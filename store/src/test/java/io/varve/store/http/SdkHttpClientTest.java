package io.varve.store.http;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
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
}
