package io.varve.store.internal.client;

import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.varve.store.SettingsException;
import io.varve.store.http.HttpSettings;
import io.varve.store.http.HttpTransport;
import java.net.InetAddress;
import java.net.URI;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.CompressionConfiguration;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.core.client.config.SdkAdvancedAsyncClientOption;
import software.amazon.awssdk.core.client.config.SdkAdvancedClientOption;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.http.nio.netty.ProxyConfiguration;
import software.amazon.awssdk.http.nio.netty.SdkEventLoopGroup;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.providers.AwsProfileRegionProvider;
import software.amazon.awssdk.regions.providers.AwsRegionProviderChain;
import software.amazon.awssdk.regions.providers.DefaultAwsRegionProviderChain;
import software.amazon.awssdk.regions.providers.SystemSettingsRegionProvider;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClientBuilder;

/**
 * Builds an SDK client: no retries of its own (the gateway has them), the HTTP client as configured.
 *
 * <p>The threads are ours, not the SDK's: closing its own ones blocks for seconds. They use Netty's native transport if the user
 * has put it on the class path. Answers are taken apart, and the store's code goes on, on threads of their own.
 */
final class ClientFactory {
    private static final Logger LOG = LoggerFactory.getLogger(ClientFactory.class);

    private ClientFactory() {}

    static Built build(ClientSettings settings) {
        settings.endpoint()
                .filter(ClientFactory::isReadableOnTheWay)
                .ifPresent(endpoint -> LOG.warn(
                        "The endpoint {} is http and not on this machine: who is on the way can read and change all events."
                                + " Write https.",
                        endpoint));
        int number = settings.http()
                .eventLoopThreads()
                .orElse(Math.max(1, Runtime.getRuntime().availableProcessors() / 2));
        ThreadFactory factory = new DefaultThreadFactory("varve-dynamodb", true);
        EventLoopGroup threads =
                Epoll.isAvailable() ? new EpollEventLoopGroup(number, factory) : new NioEventLoopGroup(number, factory);
        ExecutorService answers =
                new ForkJoinPool(Runtime.getRuntime().availableProcessors(), ClientFactory::answering, null, true);
        SdkAsyncHttpClient http = usesSdkHttp(settings.http())
                ? sdkHttp(settings.http()).eventLoopGroup(forSdk(threads)).build()
                : new HttpTransport(settings.http(), threads, channels(threads), answers);
        return new Built(client(settings, http, answers), http, answers, threads);
    }

    private static boolean isReadableOnTheWay(URI endpoint) {
        String host = endpoint.getHost();
        InetAddress address = NetUtil.createInetAddressFromIpAddressString(host); // names are not looked up here
        boolean here = host.equalsIgnoreCase("localhost") || (address != null && address.isLoopbackAddress());
        return "http".equals(endpoint.getScheme()) && !here;
    }

    private static ForkJoinWorkerThread answering(ForkJoinPool pool) {
        ForkJoinWorkerThread thread = ForkJoinPool.defaultForkJoinWorkerThreadFactory.newThread(pool);
        thread.setName("varve-dynamodb-answers-" + thread.getId());
        thread.setContextClassLoader(ClientFactory.class.getClassLoader());
        return thread;
    }

    private static ChannelFactory<? extends SocketChannel> channels(EventLoopGroup threads) {
        return threads instanceof EpollEventLoopGroup ? EpollSocketChannel::new : NioSocketChannel::new;
    }

    private static SdkEventLoopGroup forSdk(EventLoopGroup threads) {
        return SdkEventLoopGroup.create(threads, channels(threads));
    }

    /** Ours knows no proxies. */
    private static boolean usesSdkHttp(HttpSettings settings) {
        return settings.implementation() == HttpSettings.Implementation.SDK
                || settings.proxy().isPresent()
                || Stream.of("http", "https")
                        .anyMatch(scheme -> ProxyConfiguration.builder()
                                        .scheme(scheme)
                                        .build()
                                        .host()
                                != null);
    }

    /** A client and what serves it. */
    record Built(DynamoDbAsyncClient client, SdkAsyncHttpClient http, ExecutorService answers, EventLoopGroup threads) {
        void close() {
            client.close();
            http.close();
            threads.shutdownGracefully(500, 5_000, TimeUnit.MILLISECONDS) // time for the connections to close
                    .addListener(done -> answers.shutdown());
        }
    }

    private static DynamoDbAsyncClient client(ClientSettings settings, SdkAsyncHttpClient http, Executor answers) {
        DynamoDbAsyncClientBuilder builder = DynamoDbAsyncClient.builder()
                .region(region(settings))
                .credentialsProvider(KnownCredentials.of(
                        settings.credentials().provider(), !(settings.credentials() instanceof Credentials.Own)))
                .overrideConfiguration(override(settings))
                .asyncConfiguration(async -> async.advancedOption(
                        SdkAdvancedAsyncClientOption.FUTURE_COMPLETION_EXECUTOR,
                        http instanceof HttpTransport ? Runnable::run : answers)) // ours is there already
                .httpClient(http);
        settings.endpoint().ifPresent(builder::endpointOverride);
        return builder.build();
    }

    private static Region region(ClientSettings settings) {
        if (settings.region().isPresent()) {
            return settings.region().get();
        }
        try {
            // An endpoint that is not AWS's, such as DynamoDB Local, is no reason to ask an instance for its metadata.
            return settings.endpoint().isPresent()
                    ? new AwsRegionProviderChain(new SystemSettingsRegionProvider(), new AwsProfileRegionProvider())
                            .getRegion()
                    : new DefaultAwsRegionProviderChain().getRegion();
        } catch (SdkClientException e) {
            if (settings.endpoint().isPresent()) {
                return Region.US_EAST_1; // any region signs
            }
            throw new SettingsException(
                    ClientSettings.PATH + ".region",
                    "is not set, and the SDK finds none in the environment (AWS_REGION), the system properties"
                            + " (aws.region), a profile or the instance's metadata; set one of them");
        }
    }

    private static ClientOverrideConfiguration override(ClientSettings settings) {
        ClientOverrideConfiguration.Builder override =
                ClientOverrideConfiguration.builder().retryStrategy(AwsRetryStrategy.doNotRetry());
        override.compressionConfiguration(CompressionConfiguration.builder()
                .requestCompressionEnabled(settings.compressionThreshold().isPresent())
                .minimumCompressionThresholdInBytes(
                        settings.compressionThreshold().orElse(10_240))
                .build());
        settings.userAgent()
                .ifPresent(agent -> override.putAdvancedOption(SdkAdvancedClientOption.USER_AGENT_SUFFIX, agent));
        return override.build();
    }

    private static NettyNioAsyncHttpClient.Builder sdkHttp(HttpSettings settings) {
        NettyNioAsyncHttpClient.Builder http = NettyNioAsyncHttpClient.builder()
                .maxConcurrency(settings.maxConcurrency())
                .maxPendingConnectionAcquires(settings.maxPendingAcquires())
                .connectionAcquisitionTimeout(settings.acquireTimeout())
                .connectionTimeout(settings.connectTimeout())
                .tlsNegotiationTimeout(settings.tlsTimeout())
                .readTimeout(settings.readTimeout())
                .connectionMaxIdleTime(settings.idleTimeout())
                .tcpKeepAlive(settings.tcpKeepAlive());
        settings.timeToLive().ifPresent(http::connectionTimeToLive);
        settings.proxy().ifPresent(proxy -> {
            ProxyConfiguration.Builder configuration = ProxyConfiguration.builder()
                    .scheme(proxy.scheme())
                    .host(proxy.host())
                    .port(proxy.port());
            proxy.username().ifPresent(configuration::username);
            proxy.password().ifPresent(secret -> configuration.password(secret.value()));
            http.proxyConfiguration(configuration.build());
        });
        return http;
    }
}
