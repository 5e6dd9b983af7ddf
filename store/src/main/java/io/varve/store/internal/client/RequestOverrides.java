package io.varve.store.internal.client;

import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.AwsRequestOverrideConfiguration;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.SdkPlugin;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbServiceClientConfiguration;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbRequest;

/**
 * What a user's own SDK client does otherwise than ours, changed with each request: its retries must not multiply with the
 * gateway's, and its credentials are those that are known already.
 */
final class RequestOverrides {
    private static final SdkPlugin NO_RETRIES = config -> {
        if (config instanceof DynamoDbServiceClientConfiguration.Builder builder) {
            builder.overrideConfiguration(builder.overrideConfiguration().toBuilder()
                    .retryStrategy(AwsRetryStrategy.doNotRetry())
                    .build());
        }
    };

    private final boolean clientRetries;
    private final @Nullable KnownCredentials credentials;

    /** For a client, which takes these credentials if it has not got them itself. */
    RequestOverrides(DynamoDbAsyncClient client, @Nullable KnownCredentials credentials) {
        this.clientRetries = client.serviceClientConfiguration()
                .overrideConfiguration()
                .retryStrategy()
                .map(strategy -> strategy.maxAttempts() > 1)
                .orElse(true);
        boolean itsOwn = client.serviceClientConfiguration().credentialsProvider() == credentials;
        this.credentials = itsOwn ? null : credentials;
    }

    @SuppressWarnings("unchecked") // a request's builder builds a request of its own type
    <Q extends DynamoDbRequest> Q apply(Q request) {
        if (!clientRetries && credentials == null) {
            return request;
        }
        AwsRequestOverrideConfiguration.Builder override = request.overrideConfiguration()
                .map(AwsRequestOverrideConfiguration::toBuilder)
                .orElseGet(AwsRequestOverrideConfiguration::builder);
        if (clientRetries) {
            override.addPlugin(NO_RETRIES);
        }
        if (credentials != null) {
            override.credentialsProvider(credentials);
        }
        return (Q) request.toBuilder().overrideConfiguration(override.build()).build();
    }
}
