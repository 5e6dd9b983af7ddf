package io.varve.store.http;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.resolver.DefaultNameResolver;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
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
 * <p>Threads and executor are the caller's, who closes them after this: first the threads, which tell of the end of connections,
 * then the executor.
 */
public final class HttpTransport implements SdkAsyncHttpClient {
    private final EventExecutor lookups =
            new DefaultEventExecutor(new DefaultThreadFactory("varve-dynamodb-names", true));
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
                .resolver(new Names(lookups))
                .channelFactory(channels)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        Math.max(1, settings.connectTimeout().toMillis()))
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
                            } catch (NotSentException | RuntimeException | Error e) {
                                exchange.fail(e);
                            }
                        },
                        exchange::fail));
        return exchange.done();
    }

    private Connections server(Target target) throws NotSentException {
        if (closed) {
            throw new NotSentException(Connections.CLOSED, null);
        }
        Connections known = servers.get(target);
        if (known != null) {
            return known;
        }
        Connections made = servers.computeIfAbsent(target, this::newServer);
        if (closed) {
            made.close(); // meanwhile
        }
        return made;
    }

    private Connections newServer(Target target) {
        return new Connections(target, settings, bootstrap, target.tls() ? tls() : null);
    }

    private SslContext tls() {
        SslContextBuilder builder = SslContextBuilder.forClient()
                .endpointIdentificationAlgorithm("HTTPS"); // the certificate must be the host's
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
        lookups.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    /** Looks names up on a thread of its own: the JDK blocks, and must not block the connections. */
    static final class Names extends AddressResolverGroup<InetSocketAddress> {
        private final Executor lookups;

        Names(Executor lookups) {
            this.lookups = lookups;
        }

        @Override
        protected AddressResolver<InetSocketAddress> newResolver(EventExecutor connecting) {
            return new DefaultNameResolver(connecting) {
                @Override
                protected void doResolve(String host, Promise<InetAddress> address) {
                    lookups.execute(() -> lookUp(host, address));
                }

                private void lookUp(String host, Promise<InetAddress> address) {
                    try {
                        super.doResolve(host, address);
                    } catch (Exception e) {
                        address.tryFailure(e);
                    }
                }
            }.asAddressResolver();
        }
    }
}
