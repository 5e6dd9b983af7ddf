package io.varve.store.internal.client;

import static io.varve.store.internal.client.RequestsToSign.putItem;
import static io.varve.store.internal.client.RequestsToSign.toSign;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.checksums.DefaultChecksumAlgorithm;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.async.AsyncExecuteRequest;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4FamilyHttpSigner.AuthLocation;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.AsyncSignRequest;
import software.amazon.awssdk.http.auth.spi.signer.AsyncSignedRequest;
import software.amazon.awssdk.http.auth.spi.signer.HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.SignRequest;
import software.amazon.awssdk.http.auth.spi.signer.SignedRequest;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;
import software.amazon.awssdk.identity.spi.AwsSessionCredentialsIdentity;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Our signer beside the SDK's. */
class RequestSignerTest {
    private static final AwsCredentialsIdentity IDENTITY =
            AwsCredentialsIdentity.create("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY");
    private static final Instant TIME = Instant.parse("2026-11-18T23:59:59.999Z");

    private final AtomicInteger leftToTheSdk = new AtomicInteger();
    private final HttpSigner<AwsCredentialsIdentity> sdk = AwsV4HttpSigner.create();
    private final HttpSigner<AwsCredentialsIdentity> ours = new RequestSigner(new HttpSigner<>() {
        @Override
        public SignedRequest sign(SignRequest<? extends AwsCredentialsIdentity> request) {
            leftToTheSdk.incrementAndGet();
            return sdk.sign(request);
        }

        @Override
        public CompletableFuture<AsyncSignedRequest> signAsync(
                AsyncSignRequest<? extends AwsCredentialsIdentity> request) {
            leftToTheSdk.incrementAndGet();
            return sdk.signAsync(request);
        }
    });

    private SdkHttpRequest signAsTheSdkDoes(SignRequest<? extends AwsCredentialsIdentity> request) {
        SignedRequest signed = ours.sign(request);
        SignedRequest expected = sdk.sign(request);
        assertThat(signed.request().headers()).isEqualTo(expected.request().headers());
        assertThat(signed.request().getUri()).isEqualTo(expected.request().getUri());
        assertThat(signed.request().method()).isEqualTo(expected.request().method());
        assertThat(signed.payload()).isEqualTo(expected.payload());
        return signed.request();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void anyRequest_isSignedAsTheSdkDoes_withoutIt(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 250; i++) {
            SdkHttpRequest signed = signAsTheSdkDoes(RequestsToSign.any(random));
            assertThat(signed.firstMatchingHeader("Authorization")).isPresent();
        }
        assertThat(leftToTheSdk).hasValue(0);
    }

    /** Also of more than 128 KB, which the SDK keeps in pieces. */
    @ParameterizedTest
    @ValueSource(strings = {"https://dynamodb.eu-west-1.amazonaws.com", "http://localhost:8000"})
    void requestsOfTheSdksClient_areSignedAsTheSdkDoes_withoutIt(String endpoint) {
        Queue<SdkHttpRequest> expected = new ConcurrentLinkedQueue<>();
        Queue<SdkHttpRequest> sent = new ConcurrentLinkedQueue<>();
        try (DynamoDbAsyncClient client = DynamoDbAsyncClient.builder()
                .region(Region.EU_WEST_1)
                .endpointOverride(URI.create(endpoint))
                .credentialsProvider(
                        StaticCredentialsProvider.create(AwsSessionCredentials.create("ASIA", "secret", "token")))
                .overrideConfiguration(override -> override.retryStrategy(AwsRetryStrategy.doNotRetry()))
                .httpClient(refusing(sent))
                .putAuthScheme(new SigningScheme(new HttpSigner<>() {
                    @Override
                    public SignedRequest sign(SignRequest<? extends AwsCredentialsIdentity> request) {
                        SignRequest<? extends AwsCredentialsIdentity> now = at(TIME, request);
                        expected.add(sdk.sign(now).request());
                        return ours.sign(now);
                    }

                    @Override
                    public CompletableFuture<AsyncSignedRequest> signAsync(
                            AsyncSignRequest<? extends AwsCredentialsIdentity> request) {
                        return ours.signAsync(request);
                    }
                }))
                .build()) {
            for (int size : List.of(1, 1_000, 131_000, 200_000, 390_000)) {
                AttributeValue value = AttributeValue.fromB(SdkBytes.fromByteArray(new byte[size]));
                assertThatThrownBy(() -> client.putItem(
                                        put -> put.tableName("t").item(Map.of("k", value)))
                                .join())
                        .hasRootCauseMessage("refused");
            }
            assertThatThrownBy(() -> client.listTables().join()).hasRootCauseMessage("refused");
        }
        assertThat(sent).hasSize(6);
        assertThat(sent.stream().map(SdkHttpRequest::headers))
                .containsExactlyElementsOf(
                        expected.stream().map(SdkHttpRequest::headers).toList());
        assertThat(leftToTheSdk).hasValue(0);
    }

    private static <T extends AwsCredentialsIdentity> SignRequest<T> at(Instant time, SignRequest<T> request) {
        return request.toBuilder()
                .putProperty(HttpSigner.SIGNING_CLOCK, Clock.fixed(time, ZoneOffset.UTC))
                .build();
    }

    private static SdkAsyncHttpClient refusing(Queue<SdkHttpRequest> sent) {
        return new SdkAsyncHttpClient() {
            @Override
            public CompletableFuture<Void> execute(AsyncExecuteRequest request) {
                sent.add(request.request());
                IOException refused = new IOException("refused");
                request.responseHandler().onError(refused);
                return CompletableFuture.failedFuture(refused);
            }

            @Override
            public void close() {
                // has nothing to close
            }
        };
    }

    static List<Consumer<SignRequest.Builder<AwsCredentialsIdentity>>> unusual() {
        return List.of(
                request -> request.request(putItem().encodedPath("/a/./b%20c").build()),
                request ->
                        request.request(putItem().putRawQueryParameter("a", "b").build()),
                request ->
                        request.request(putItem().putHeader("X-Amz-Meta", "漢字").build()),
                request -> request.request(
                        putItem().putHeader("X-Amz-Meta", List.of()).build()),
                request -> request.putProperty(AwsV4HttpSigner.REGION_NAME, "région"),
                request -> request.putProperty(AwsV4HttpSigner.AUTH_LOCATION, AuthLocation.QUERY_STRING),
                request -> request.putProperty(AwsV4HttpSigner.AUTH_LOCATION, AuthLocation.QUERY_STRING)
                        .putProperty(AwsV4HttpSigner.EXPIRATION_DURATION, Duration.ofMinutes(1)),
                request -> request.putProperty(AwsV4HttpSigner.PAYLOAD_SIGNING_ENABLED, false),
                request -> request.putProperty(AwsV4HttpSigner.CHECKSUM_ALGORITHM, DefaultChecksumAlgorithm.CRC32),
                request ->
                        request.identity(AnonymousCredentialsProvider.create().resolveCredentials()));
    }

    @ParameterizedTest
    @MethodSource("unusual")
    void unusualRequest_isLeftToTheSdk(Consumer<SignRequest.Builder<AwsCredentialsIdentity>> change) {
        SignRequest.Builder<AwsCredentialsIdentity> request = toSign(putItem(), IDENTITY, TIME);
        change.accept(request);
        signAsTheSdkDoes(request.build());
        assertThat(leftToTheSdk).hasValue(1);
    }

    @Test
    void contentInChunks_isLeftToTheSdk() {
        SignedRequest signed = ours.sign(toSign(putItem(), IDENTITY, TIME)
                .putProperty(AwsV4HttpSigner.CHUNK_ENCODING_ENABLED, true)
                .build());
        assertThat(leftToTheSdk).hasValue(1);
        assertThat(signed.request().firstMatchingHeader("x-amz-content-sha256"))
                .hasValue("STREAMING-AWS4-HMAC-SHA256-PAYLOAD");
    }

    @Test
    void contentThatIsAStream_isLeftToTheSdk() {
        SignRequest<AwsCredentialsIdentity> usual =
                toSign(putItem(), IDENTITY, TIME).build();
        AsyncSignedRequest signed = ours.signAsync(AsyncSignRequest.builder(IDENTITY)
                        .request(usual.request())
                        .putProperty(AwsV4HttpSigner.REGION_NAME, "eu-west-1")
                        .putProperty(AwsV4HttpSigner.SERVICE_SIGNING_NAME, "dynamodb")
                        .build())
                .join();
        assertThat(leftToTheSdk).hasValue(1);
        assertThat(signed.request().firstMatchingHeader("Authorization")).isPresent();
    }

    @Test
    void anonymousRequest_isNotSigned() {
        AwsCredentialsIdentity nobody = AnonymousCredentialsProvider.create().resolveCredentials();
        assertThat(ours.sign(toSign(putItem(), nobody, TIME).build()).request().headers())
                .doesNotContainKeys("Authorization", "X-Amz-Date");
    }

    /** The SDK corrects a machine's clock by it. */
    @Test
    void time_isThatOfTheSignersClock() {
        for (String time : List.of("20261118T235959Z", "20261119T000000Z", "20261118T235959Z")) {
            Instant instant = time.startsWith("20261119") ? TIME.plusMillis(1) : TIME;
            SdkHttpRequest signed =
                    signAsTheSdkDoes(toSign(putItem(), IDENTITY, instant).build());
            assertThat(signed.firstMatchingHeader("X-Amz-Date")).hasValue(time);
            assertThat(signed.firstMatchingHeader("Authorization"))
                    .hasValueSatisfying(value -> assertThat(value).contains("/" + time.substring(0, 8) + "/"));
        }
        assertThat(leftToTheSdk).hasValue(0);
    }

    @Test
    void manyThreadsWithTwoIdentitiesAndTwoDays_neverMixThemUp() throws Exception {
        AwsCredentialsIdentity other = AwsSessionCredentialsIdentity.create("ASIA", "another secret", "token");
        List<SignRequest<AwsCredentialsIdentity>> requests = new ArrayList<>();
        for (AwsCredentialsIdentity identity : List.of(IDENTITY, other)) {
            for (Instant time : List.of(TIME, TIME.plusSeconds(1))) {
                requests.add(toSign(putItem(), identity, time).build());
            }
        }
        List<String> expected =
                requests.stream().map(request -> authorization(sdk, request)).toList();
        assertThat(expected).doesNotHaveDuplicates();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            CyclicBarrier together = new CyclicBarrier(4);
            List<Future<?>> ends = new ArrayList<>();
            for (int thread = 0; thread < 4; thread++) {
                int first = thread;
                ends.add(threads.submit(() -> {
                    for (int round = 0; round < 200; round++) {
                        together.await(); // each round all four sign at once, each for another key
                        int which = (first + round) % requests.size();
                        assertThat(authorization(ours, requests.get(which))).isEqualTo(expected.get(which));
                    }
                    return null;
                }));
            }
            for (Future<?> end : ends) {
                end.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(leftToTheSdk).hasValue(0);
    }

    private static String authorization(
            HttpSigner<AwsCredentialsIdentity> signer, SignRequest<AwsCredentialsIdentity> request) {
        return signer.sign(request)
                .request()
                .firstMatchingHeader("Authorization")
                .orElseThrow();
    }
}
