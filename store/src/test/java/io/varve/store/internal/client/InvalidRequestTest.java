package io.varve.store.internal.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.varve.store.FailureKind;
import io.varve.store.StoreException;
import io.varve.store.StoreObserver;
import io.varve.store.internal.async.Backoff;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.TableNames;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProviderChain;
import software.amazon.awssdk.auth.credentials.SystemPropertyCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** What can never succeed, and what can once somebody has mended something. */
@DynamoDBTest
class InvalidRequestTest {
    private static final Duration AMPLE = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(400); // for what is tried again until it is over

    private final FaultProxy proxy;
    private final String table;

    InvalidRequestTest(FaultProxy proxy, TableNames tables) {
        this.proxy = proxy;
        this.table = tables.journal();
    }

    /** How a transaction fails. */
    private StoreException failure(DynamoDbAsyncClient client, Duration budget) {
        GatewaySettings settings = new GatewaySettings(
                budget,
                Duration.ofSeconds(30),
                new Backoff(Duration.ofMillis(1), Duration.ofMillis(10), 0.5),
                1,
                Optional.empty());
        Gateway gateway = new Gateway(client, settings, StoreObserver.NONE, Runnable::run);
        TransactWriteItem put = TransactWriteItem.builder()
                .put(one -> one.tableName(table).item(Map.of("k", AttributeValue.fromS("v"))))
                .build();
        CompletionException thrown = catchThrowableOfType(
                CompletionException.class,
                () -> gateway.transactWriteItems(List.of(put), gateway.budget())
                        .toCompletableFuture()
                        .join());
        return (StoreException) Objects.requireNonNull(thrown.getCause());
    }

    private StoreException failure(Fault fault) {
        proxy.on(RequestMatch.operation("TransactWriteItems"), fault);
        try (DynamoDbAsyncClient client = proxy.client()) {
            return failure(client, AMPLE);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ValidationException",
                "SerializationException",
                "ItemCollectionSizeLimitExceededException",
                "IdempotentParameterMismatchException"
            })
    void wrongRequest_isInvalid(String code) {
        assertThat(failure(Fault.error(400, code, "no")).isInvalid()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ValidationError", "ItemCollectionSizeLimitExceeded"})
    void transactionWithAWrongItem_isInvalid(String code) {
        assertThat(failure(Fault.cancelTransaction(code)).isInvalid()).isTrue();
    }

    @Test
    void requestThatIsTooLong_isInvalid() {
        assertThat(failure(Fault.error(413, "RequestEntityTooLarge", "no")).isInvalid())
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "AccessDeniedException",
                "UnrecognizedClientException",
                "ExpiredTokenException",
                "ResourceNotFoundException",
                "LimitExceededException"
            })
    void permissionsAndTables_canBeMended(String code) {
        assertThat(failure(Fault.error(400, code, "no")).isInvalid()).isFalse();
    }

    @Test
    void deniedItem_canBeMended() {
        assertThat(failure(Fault.cancelTransaction("AccessDenied")).isInvalid()).isFalse();
    }

    @Test
    void missingCredentials_canBeMended() {
        try (DynamoDbAsyncClient client = DynamoDbAsyncClient.builder()
                .endpointOverride(DynamoDBLocal.shared().endpoint())
                .region(Region.US_EAST_1)
                .credentialsProvider(AwsCredentialsProviderChain.of(SystemPropertyCredentialsProvider.create()))
                .build()) {
            StoreException failure = failure(client, SHORT);
            assertThat(failure.kind()).isEqualTo(FailureKind.NOT_SENT);
            assertThat(failure).hasMessageContaining("credentials");
            assertThat(failure.isInvalid()).isFalse();
        }
    }

    @Test
    void closedClient_canBeMended() {
        DynamoDbAsyncClient client = proxy.client();
        client.close();
        assertThat(failure(client, SHORT).isInvalid()).isFalse();
    }
}
