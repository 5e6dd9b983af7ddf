package io.varve.store.http;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.http.SystemPropertyTlsKeyManagersProvider;
import software.amazon.awssdk.http.async.AsyncExecuteRequest;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;

/**
 * An HTTP client for the SDK that does what DynamoDB needs, and no more: whole requests and answers, no streams, no proxies.
 *
 * <p>Threads and executor are the caller's, who closes them after this.
 */
public final class HttpTransport implements SdkAsyncHttpClient {
    private final HttpSettings settings;
    private final Bootstrap bootstrap;
    private final Executor executor;
    private final Consumer<SslContextBuilder> trust;
    private final Map<Target, Connections> servers = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /** A client that reads and writes on the threads, and tells the SDK of answers on the executor. */
    public HttpTransport(
            HttpSettings settings,
            EventLoopGroup threads,
            ChannelFactory<? extends SocketChannel> channels,
            Executor executor) {
        this(settings, threads, channels, executor, builder -> {});
    }

    HttpTransport(
            HttpSettings settings,
            EventLoopGroup threads,
            ChannelFactory<? extends SocketChannel> channels,
            Executor executor,
            Consumer<SslContextBuilder> trust) {
        this.settings = settings;
        this.executor = executor;
        this.trust = trust;
        this.bootstrap = new Bootstrap()
                .group(threads)
                .channelFactory(channels)
                .option(
                        ChannelOption.CONNECT_TIMEOUT_MILLIS,
                        Math.toIntExact(settings.connectTimeout().toMillis()))
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, settings.tcpKeepAlive());
    }

    @Override
    public String clientName() {
        return "Varve";
    }

    @Override
    public CompletableFuture<Void> execute(AsyncExecuteRequest request) {
        Exchange exchange = new Exchange(request.responseHandler(), executor);
        request.requestContentPublisher()
                .subscribe(new RequestBody(
                        body -> {
                            try {
                                byte[] bytes = RequestBytes.of(request.request(), body);
                                exchange.start(bytes, server(Target.of(request.request())));
                            } catch (RuntimeException e) {
                                exchange.fail(e);
                            }
                        },
                        exchange::fail));
        return exchange.done();
    }

    private Connections server(Target target) {
        if (closed) {
            throw new IllegalStateException("The DynamoDB client is closed");
        }
        Connections known = servers.get(target);
        return known != null ? known : servers.computeIfAbsent(target, this::newServer);
    }

    private Connections newServer(Target target) {
        return new Connections(target, settings, bootstrap, target.tls() ? tls() : null);
    }

    private SslContext tls() {
        SslContextBuilder builder = SslContextBuilder.forClient();
        KeyManager @Nullable [] keys =
                SystemPropertyTlsKeyManagersProvider.create().keyManagers();
        if (keys != null && keys.length > 0) {
            builder.keyManager(keys[0]);
        }
        trust.accept(builder);
        try {
            return builder.build();
        } catch (SSLException e) {
            throw new IllegalStateException("TLS cannot be set up: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        closed = true;
        List.copyOf(servers.values()).forEach(Connections::close);
    }
}
