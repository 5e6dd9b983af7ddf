package io.varve.store.internal.client;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.varve.http.HttpSettings;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import software.amazon.awssdk.http.async.AsyncExecuteRequest;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.http.nio.netty.ProxyConfiguration;
import software.amazon.awssdk.http.nio.netty.SdkEventLoopGroup;

/**
 * The SDK's HTTP client with threads of ours: closing its own ones blocks for seconds. Answers are taken apart, and the store's
 * code goes on, on threads of their own.
 */
record SdkNettyClient(SdkAsyncHttpClient client, EventLoopGroup connections, ExecutorService answers)
        implements SdkAsyncHttpClient {

    static SdkNettyClient build(TransportSettings settings) {
        int processors = Runtime.getRuntime().availableProcessors();
        int number = settings.http().eventLoopThreads().orElse(Math.max(1, processors / 2));
        ThreadFactory factory = new DefaultThreadFactory("varve-dynamodb", true);
        EventLoopGroup connections =
                Epoll.isAvailable() ? new EpollEventLoopGroup(number, factory) : new NioEventLoopGroup(number, factory);
        SdkEventLoopGroup forSdk = SdkEventLoopGroup.create(
                connections,
                connections instanceof EpollEventLoopGroup ? EpollSocketChannel::new : NioSocketChannel::new);
        return new SdkNettyClient(
                builder(settings).eventLoopGroup(forSdk).build(),
                connections,
                new ForkJoinPool(processors, SdkNettyClient::answering, null, true));
    }

    private static ForkJoinWorkerThread answering(ForkJoinPool pool) {
        ForkJoinWorkerThread thread = ForkJoinPool.defaultForkJoinWorkerThreadFactory.newThread(pool);
        thread.setName("varve-dynamodb-answers-" + thread.getId());
        thread.setContextClassLoader(SdkNettyClient.class.getClassLoader());
        return thread;
    }

    private static NettyNioAsyncHttpClient.Builder builder(TransportSettings settings) {
        HttpSettings http = settings.http();
        NettyNioAsyncHttpClient.Builder builder = NettyNioAsyncHttpClient.builder()
                .maxConcurrency(http.maxConcurrency())
                .maxPendingConnectionAcquires(http.maxPendingAcquires())
                .connectionAcquisitionTimeout(http.acquireTimeout())
                .connectionTimeout(http.connectTimeout())
                .tlsNegotiationTimeout(http.tlsTimeout())
                .readTimeout(http.readTimeout())
                .connectionMaxIdleTime(http.idleTimeout())
                .tcpKeepAlive(http.tcpKeepAlive());
        http.timeToLive().ifPresent(builder::connectionTimeToLive);
        settings.proxy().ifPresent(proxy -> {
            ProxyConfiguration.Builder configuration = ProxyConfiguration.builder()
                    .scheme(proxy.scheme())
                    .host(proxy.host())
                    .port(proxy.port());
            proxy.username().ifPresent(configuration::username);
            proxy.password().ifPresent(secret -> configuration.password(secret.value()));
            builder.proxyConfiguration(configuration.build());
        });
        return builder;
    }

    @Override
    public CompletableFuture<Void> execute(AsyncExecuteRequest request) {
        return client.execute(request);
    }

    @Override
    public String clientName() {
        return client.clientName();
    }

    @Override
    public void close() {
        client.close();
        connections
                .shutdownGracefully(500, 5_000, TimeUnit.MILLISECONDS) // time for the connections to close
                .addListener(ended -> answers.shutdown());
    }
}
