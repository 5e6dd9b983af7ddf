package io.varve.testkit.internal.engine;

import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.URI;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.http.nio.netty.SdkEventLoopGroup;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.DefaultRetryStrategy;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** The client that tests use: dummy credentials, Netty, no retries. All share their threads, so that closing one is quick. */
public final class PlainClient {
    private static final SdkEventLoopGroup THREADS =
            SdkEventLoopGroup.create(new NioEventLoopGroup(2, new DefaultThreadFactory("testkit-client", true)));

    private PlainClient() {}

    /** A new client, which the caller closes. */
    public static DynamoDbAsyncClient of(URI endpoint) {
        return DynamoDbAsyncClient.builder()
                .endpointOverride(endpoint)
                .region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("dummy", "dummy")))
                .httpClientBuilder(NettyNioAsyncHttpClient.builder().eventLoopGroup(THREADS))
                .overrideConfiguration(configuration -> configuration.retryStrategy(DefaultRetryStrategy.doNotRetry()))
                .build();
    }
}
