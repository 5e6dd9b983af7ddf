package io.varve.benchmark.responder;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.KeyStore;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.PutItemResponse;

/** The responder over TLS, as the SDK's client sees it, which checks certificate and host name. */
class ResponderTlsTest {
    private static Responder responder;
    private static DynamoDbAsyncClient client;

    @BeforeAll
    static void start() throws Exception {
        Certificate certificate = Certificate.make();
        responder = new Responder(Duration.ofMillis(1), certificate.serverKeys());
        client = client(certificate.trusted());
    }

    @AfterAll
    static void close() {
        responder.close();
        client.close();
    }

    @Test
    void endpoint_isAHostNameOfTheCertificate() {
        assertThat(responder.endpoint()).hasScheme("https").hasHost("localhost");
    }

    @Test
    void clientThatTrustsTheCertificate_isAnswered() {
        CompletableFuture<?>[] puts =
                IntStream.range(0, 100).mapToObj(i -> put(client, 200)).toArray(CompletableFuture<?>[]::new);
        assertThat(CompletableFuture.allOf(puts)).succeedsWithin(Duration.ofSeconds(30));
    }

    @Test
    void requestOfManyRecords_isAnswered() {
        assertThat(put(client, 300_000)).succeedsWithin(Duration.ofSeconds(30));
    }

    @Test
    void clientThatTrustsOthers_doesNotConnect() throws Exception {
        try (DynamoDbAsyncClient other = client(null)) {
            assertThat(put(other, 200))
                    .failsWithin(Duration.ofSeconds(30))
                    .withThrowableThat()
                    .withMessageContaining(SSLHandshakeException.class.getName());
        }
    }

    private static CompletableFuture<PutItemResponse> put(DynamoDbAsyncClient client, int bytes) {
        return client.putItem(request ->
                request.tableName("t").item(Map.of("event", AttributeValue.fromS("y".repeat(bytes)))));
    }

    /** A client that trusts what is in the store, or, without one, what the JVM does. */
    private static DynamoDbAsyncClient client(@Nullable KeyStore trusted) throws Exception {
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        return DynamoDbAsyncClient.builder()
                .endpointOverride(responder.endpoint())
                .region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("dummy", "dummy")))
                .httpClientBuilder(NettyNioAsyncHttpClient.builder().tlsTrustManagersProvider(trust::getTrustManagers))
                .overrideConfiguration(settings -> settings.retryStrategy(retries -> retries.maxAttempts(1)))
                .build();
    }
}
