package io.varve.store.internal.client;

import io.netty.util.NetUtil;
import io.varve.http.VarveAsyncHttpClient;
import io.varve.store.SettingsException;
import java.net.InetAddress;
import java.net.URI;
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
import software.amazon.awssdk.http.nio.netty.ProxyConfiguration;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.providers.AwsProfileRegionProvider;
import software.amazon.awssdk.regions.providers.AwsRegionProviderChain;
import software.amazon.awssdk.regions.providers.DefaultAwsRegionProviderChain;
import software.amazon.awssdk.regions.providers.SystemSettingsRegionProvider;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClientBuilder;

/** Builds an SDK client: no retries of its own (the gateway has them), the HTTP client and the signer as configured. */
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
        Region region = region(settings); // may fail: before there are threads
        SdkAsyncHttpClient http = usesSdkHttp(settings.transport())
                ? SdkNettyClient.build(settings.transport())
                : VarveAsyncHttpClient.builder()
                        .settings(settings.transport().http())
                        .build();
        return new Built(client(settings, region, http), http);
    }

    private static boolean isReadableOnTheWay(URI endpoint) {
        String host = endpoint.getHost();
        InetAddress address = NetUtil.createInetAddressFromIpAddressString(host); // names are not looked up here
        boolean here = host.equalsIgnoreCase("localhost") || (address != null && address.isLoopbackAddress());
        return "http".equals(endpoint.getScheme()) && !here;
    }

    /** Ours knows no proxies. */
    private static boolean usesSdkHttp(TransportSettings settings) {
        return settings.implementation() == TransportSettings.Implementation.SDK
                || settings.proxy().isPresent()
                || Stream.of("http", "https")
                        .anyMatch(scheme -> ProxyConfiguration.builder()
                                        .scheme(scheme)
                                        .build()
                                        .host()
                                != null);
    }

    /** A client and what is under it. */
    record Built(DynamoDbAsyncClient client, SdkAsyncHttpClient http) {
        void close() {
            client.close();
            http.close();
        }
    }

    private static DynamoDbAsyncClient client(ClientSettings settings, Region region, SdkAsyncHttpClient http) {
        DynamoDbAsyncClientBuilder builder = DynamoDbAsyncClient.builder()
                .region(region)
                .credentialsProvider(KnownCredentials.of(
                        settings.credentials().provider(), !(settings.credentials() instanceof Credentials.Own)))
                .overrideConfiguration(override(settings))
                .asyncConfiguration(async -> async.advancedOption(
                        SdkAdvancedAsyncClientOption.FUTURE_COMPLETION_EXECUTOR,
                        http instanceof SdkNettyClient sdk ? sdk.answers() : Runnable::run)) // ours has such threads
                .httpClient(http);
        settings.endpoint().ifPresent(builder::endpointOverride);
        if (settings.transport().implementation() == TransportSettings.Implementation.VARVE) {
            builder.putAuthScheme(SigningScheme.ofOurs());
        }
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
}
