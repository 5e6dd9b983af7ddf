package io.varve.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.DynamoDBTest;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.Protocol;
import software.amazon.awssdk.http.SdkHttpConfigurationOption;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.utils.AttributeMap;

/** The client as users of the SDK see it; the snippets of the documentation are here. */
@DynamoDBTest
class SdkClientTest {
    private final AwsCredentialsProvider credentials =
            StaticCredentialsProvider.create(AwsBasicCredentials.create("some", "key"));

    @Test
    void clientOfTheSdk_takesTheBuilder(DynamoDBLocal local) {
        URI endpoint = local.endpoint();
        DynamoDbAsyncClient client = DynamoDbAsyncClient.builder()
                .region(Region.EU_WEST_1)
                .endpointOverride(endpoint)
                .credentialsProvider(credentials)
                .httpClientBuilder(VarveAsyncHttpClient.builder()
                        .settings(http -> http.maxConcurrency(50).readTimeout(Duration.ofSeconds(3))))
                .build();
        try (client) {
            assertThat(client.listTables().join().hasTableNames()).isTrue();
        }
    }

    @Test
    void clientsOfTheSdk_shareAClient(DynamoDBLocal local) {
        try (VarveAsyncHttpClient http = VarveAsyncHttpClient.create()) {
            for (int i = 0; i < 2; i++) {
                try (DynamoDbAsyncClient client = DynamoDbAsyncClient.builder()
                        .region(Region.EU_WEST_1)
                        .endpointOverride(local.endpoint())
                        .credentialsProvider(credentials)
                        .httpClient(http)
                        .build()) {
                    assertThat(client.listTables().join().hasTableNames()).isTrue();
                }
            }
        }
    }

    @Test
    void serviceThatNeedsHttp2_isRefused() {
        AttributeMap needs = AttributeMap.builder()
                .put(SdkHttpConfigurationOption.PROTOCOL, Protocol.HTTP2)
                .build();
        VarveAsyncHttpClient.Builder builder = VarveAsyncHttpClient.builder();
        assertThatThrownBy(() -> builder.buildWithDefaults(needs))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("HTTP/2");
    }

    @Test
    void close_endsTheThreads() throws Exception {
        HttpSettings settings = HttpSettings.builder().eventLoopThreads(1).build();
        Threads threads = Threads.start(settings);
        new VarveAsyncHttpClient(settings, threads, null).close();
        assertThat(threads.connections().awaitTermination(10, TimeUnit.SECONDS)).isTrue();
        assertThat(((ExecutorService) threads.answers()).awaitTermination(10, TimeUnit.SECONDS))
                .isTrue();
    }
}
