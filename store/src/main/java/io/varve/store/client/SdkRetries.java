package io.varve.store.client;

import software.amazon.awssdk.awscore.AwsRequestOverrideConfiguration;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.SdkPlugin;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbServiceClientConfiguration;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbRequest;

/** Keeps the retries of a user's own SDK client from multiplying with the gateway's. */
final class SdkRetries {
    private static final SdkPlugin OFF = config -> {
        if (config instanceof DynamoDbServiceClientConfiguration.Builder builder) {
            builder.overrideConfiguration(builder.overrideConfiguration().toBuilder()
                    .retryStrategy(AwsRetryStrategy.doNotRetry())
                    .build());
        }
    };

    private SdkRetries() {}

    static boolean areOn(DynamoDbAsyncClient client) {
        return client.serviceClientConfiguration()
                .overrideConfiguration()
                .retryStrategy()
                .map(strategy -> strategy.maxAttempts() > 1)
                .orElse(true);
    }

    @SuppressWarnings("unchecked") // a request's builder builds a request of its own type
    static <Q extends DynamoDbRequest> Q off(Q request) {
        AwsRequestOverrideConfiguration.Builder override = request.overrideConfiguration()
                .map(AwsRequestOverrideConfiguration::toBuilder)
                .orElseGet(AwsRequestOverrideConfiguration::builder);
        return (Q) request.toBuilder()
                .overrideConfiguration(override.addPlugin(OFF).build())
                .build();
    }
}
