package io.varve.http;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelOption;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.http.Protocol;
import software.amazon.awssdk.http.SdkHttpConfigurationOption;
import software.amazon.awssdk.http.SystemPropertyTlsKeyManagersProvider;
import software.amazon.awssdk.http.TlsTrustManagersProvider;
import software.amazon.awssdk.http.async.AsyncExecuteRequest;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;
import software.amazon.awssdk.utils.AttributeMap;

/**
 * An HTTP client for clients of the AWS SDK whose requests and answers fit into memory, such as DynamoDB's: whole requests and
 * answers over HTTP/1.1, no streams, no proxies, no HEAD.
 *
 * <p>The SDK hears of answers on threads that this client has for that, and may go on there.
 */
public final class VarveAsyncHttpClient implements SdkAsyncHttpClient {
    private final EventExecutor lookups = new DefaultEventExecutor(new DefaultThreadFactory("varve-http-names", true));
    private final HttpSettings settings;
    private final Threads threads;
    private final @Nullable TlsTrustManagersProvider trust;
    private final Bootstrap bootstrap;
    private final Map<Target, Connections> servers = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /** A client that ends the threads when it is closed. */
    VarveAsyncHttpClient(HttpSettings settings, Threads threads, @Nullable TlsTrustManagersProvider trust) {
        this(settings, threads, trust, InetAddress::getAllByName);
    }

    /** The same, which asks for the addresses of names. */
    VarveAsyncHttpClient(
            HttpSettings settings, Threads threads, @Nullable TlsTrustManagersProvider trust, NameLookups.Names names) {
        this.settings = settings;
        this.threads = threads;
        this.trust = trust;
        this.bootstrap = new Bootstrap()
                .group(threads.connections())
                .resolver(new NameLookups(lookups, names, settings.keepAddresses()))
                .channelFactory(threads.channels())
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        Math.max(1, settings.connectTimeout().toMillis()))
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, settings.tcpKeepAlive());
    }

    /** A client with the default settings. */
    public static VarveAsyncHttpClient create() {
        return builder().build();
    }

    /** A builder, for {@code httpClientBuilder} of a client of the SDK or for a client of one's own. */
    public static Builder builder() {
        return new Builder();
    }

    @Override
    public String clientName() {
        return "Varve";
    }

    @Override
    public CompletableFuture<Void> execute(AsyncExecuteRequest asked) {
        OngoingRequest request = new OngoingRequest(asked.responseHandler(), threads.answers());
        asked.requestContentPublisher()
                .subscribe(new RequestBody(
                        body -> {
                            try {
                                byte[] bytes = RequestBytes.of(asked.request(), body);
                                request.start(bytes, server(Target.of(asked.request())));
                            } catch (NotSentException | RuntimeException | Error e) {
                                request.fail(e);
                            }
                        },
                        request::fail));
        return request.done();
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
        TrustManager @Nullable [] trusted = trust == null ? null : trust.trustManagers();
        if (trusted != null && trusted.length > 0) {
            builder.trustManager(trusted[0]);
        }
        try {
            return builder.build();
        } catch (SSLException e) {
            throw new IllegalStateException("TLS cannot be set up: " + e.getMessage(), e);
        }
    }

    /** Closes all connections, fails the requests under way, and ends the threads, without waiting for that. */
    @Override
    public void close() {
        closed = true;
        List.copyOf(servers.values()).forEach(Connections::close);
        lookups.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        threads.close();
    }

    /** A client in the making. */
    public static final class Builder implements SdkAsyncHttpClient.Builder<Builder> {
        private HttpSettings settings = HttpSettings.builder().build();
        private @Nullable TlsTrustManagersProvider trust;

        private Builder() {}

        /** How it connects, and how long it waits. */
        public Builder settings(HttpSettings value) {
            settings = value;
            return this;
        }

        /** The same, beginning with the defaults. */
        public Builder settings(Consumer<HttpSettings.Builder> changes) {
            HttpSettings.Builder builder = HttpSettings.builder();
            changes.accept(builder);
            return settings(builder.build());
        }

        /** Whose certificates are trusted, instead of those that the JVM trusts; the first manager counts. */
        public Builder tlsTrustManagersProvider(TlsTrustManagersProvider provider) {
            trust = provider;
            return this;
        }

        @Override
        public VarveAsyncHttpClient build() {
            return new VarveAsyncHttpClient(settings, Threads.start(settings), trust);
        }

        /** The same; a service's own defaults are not used. Fails for a service that needs HTTP/2. */
        @Override
        public VarveAsyncHttpClient buildWithDefaults(AttributeMap serviceDefaults) {
            if (serviceDefaults.get(SdkHttpConfigurationOption.PROTOCOL) == Protocol.HTTP2) {
                throw new IllegalArgumentException("This service needs HTTP/2, but this client speaks HTTP/1.1 only");
            }
            return build();
        }
    }
}
