package io.varve.http;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import software.amazon.awssdk.http.TlsTrustManagersProvider;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.http.nio.netty.SdkEventLoopGroup;

/** The clients that keep the contract; all of a kind share their threads. */
enum ClientUnderTest {
    /** Ours. */
    VARVE {
        @Override
        SdkAsyncHttpClient client(HttpSettings settings, Optional<TlsTrustManagersProvider> trust) {
            return varve(settings, trust, ANSWERS);
        }
    },
    /** The SDK's own, which shows that the contract is what the SDK expects. */
    SDK {
        @Override
        SdkAsyncHttpClient client(HttpSettings settings, Optional<TlsTrustManagersProvider> trust) {
            NettyNioAsyncHttpClient.Builder http = NettyNioAsyncHttpClient.builder()
                    .eventLoopGroup(SdkEventLoopGroup.create(THREADS))
                    .maxConcurrency(settings.maxConcurrency())
                    .maxPendingConnectionAcquires(settings.maxPendingAcquires())
                    .connectionAcquisitionTimeout(settings.acquireTimeout())
                    .connectionTimeout(settings.connectTimeout())
                    .tlsNegotiationTimeout(settings.tlsTimeout())
                    .readTimeout(settings.readTimeout())
                    .connectionMaxIdleTime(settings.idleTimeout());
            trust.ifPresent(http::tlsTrustManagersProvider);
            settings.timeToLive().ifPresent(http::connectionTimeToLive);
            return http.build();
        }
    };

    static final EventLoopGroup THREADS = new NioEventLoopGroup(2, new DefaultThreadFactory("http", true));
    static final ExecutorService ANSWERS = Executors.newFixedThreadPool(2, new DefaultThreadFactory("answers", true));

    abstract SdkAsyncHttpClient client(HttpSettings settings, Optional<TlsTrustManagersProvider> trust);

    static SdkAsyncHttpClient varve(HttpSettings settings, Optional<TlsTrustManagersProvider> trust, Executor answers) {
        return varve(settings, trust, answers, THREADS);
    }

    static SdkAsyncHttpClient varve(
            HttpSettings settings, Optional<TlsTrustManagersProvider> trust, Executor answers, EventLoopGroup threads) {
        Threads shared = new Threads(threads, NioSocketChannel::new, answers, () -> {});
        return new VarveAsyncHttpClient(settings, shared, trust.orElse(null));
    }

    static SdkAsyncHttpClient varveWithNames(
            HttpSettings settings, Optional<TlsTrustManagersProvider> trust, NameLookups.Names names) {
        Threads shared = new Threads(THREADS, NioSocketChannel::new, ANSWERS, () -> {});
        return new VarveAsyncHttpClient(settings, shared, trust.orElse(null), names);
    }
}
