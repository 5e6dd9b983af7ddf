package io.varve.store.internal.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.typesafe.config.ConfigFactory;
import io.varve.store.FailureKind;
import io.varve.store.StoreException;
import io.varve.store.StoreObserver;
import io.varve.store.internal.async.Backoff;
import io.varve.store.internal.async.Causes;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.FaultRule;
import io.varve.testkit.RequestMatch;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.DescribeTableRequest;
import software.amazon.awssdk.services.dynamodb.model.DescribeTableResponse;

/** Requests and the credentials that they need, with a provider of the user's: in our client, and in a client of the user's. */
@DynamoDBTest
class GatewayCredentialsTest {
    private static final Duration AMPLE = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(400);
    private static final Fault ANSWER = Fault.respond("{\"Table\":{\"TableName\":\"ttt\"}}");
    private static final AwsCredentials KEY = AwsBasicCredentials.create("key", "secret");

    private final FaultProxy proxy;
    private final ExecutorService executor = Executors.newFixedThreadPool(2);
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final List<StoreObserver.Request> observed = new CopyOnWriteArrayList<>();
    private final FaultRule answer;

    GatewayCredentialsTest(FaultProxy proxy) {
        this.proxy = proxy;
        answer = proxy.on(RequestMatch.operation("DescribeTable"), ANSWER);
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
        executor.shutdownNow();
    }

    /** Whose client the provider is in. */
    enum Client {
        OURS,
        USERS
    }

    private DynamoDbAsyncClient client(Client whose, AwsCredentialsProvider provider) {
        if (whose == Client.USERS) {
            DynamoDbAsyncClient users = DynamoDbAsyncClient.builder()
                    .endpointOverride(proxy.endpoint())
                    .region(Region.US_EAST_1)
                    .credentialsProvider(provider)
                    .build();
            opened.add(users);
            return users;
        }
        ClientSettings settings = ClientSettings.from(
                ConfigFactory.parseString("endpoint = \"" + proxy.endpoint() + "\"")
                        .withFallback(ConfigFactory.defaultReference().getConfig(ClientSettings.PATH)),
                ClientSettings.PATH);
        ClientFactory.Built built = ClientFactory.build(settings.withCredentials(new Credentials.Own(provider)));
        opened.add(built::close);
        return built.client();
    }

    private Gateway gateway(DynamoDbAsyncClient client, Duration operation) {
        GatewaySettings settings = new GatewaySettings(
                operation, AMPLE, new Backoff(Duration.ofMillis(1), Duration.ofMillis(50), 0.5), 2, Optional.empty());
        return new Gateway(client, settings, observed::add, executor);
    }

    private static CompletableFuture<DescribeTableResponse> ask(Gateway gateway) {
        return gateway.call(
                        Call.DESCRIBE_TABLE,
                        DescribeTableRequest.builder().tableName("ttt").build(),
                        gateway.budget())
                .toCompletableFuture();
    }

    private static StoreException failure(Gateway gateway) {
        CompletionException thrown = catchThrowableOfType(
                CompletionException.class, () -> ask(gateway).join());
        return (StoreException) Causes.unwrap(thrown);
    }

    private static void wasNotSent(StoreException failure) {
        assertThat(failure.kind()).isEqualTo(FailureKind.NOT_SENT);
        assertThat(failure.mayHaveTakenEffect()).isFalse();
        assertThat(failure.isInvalid()).isFalse();
        assertThat(failure).hasMessageContaining("was not sent").hasMessageContaining("credentials");
    }

    private int sent() {
        return proxy.requests().requests().size();
    }

    @ParameterizedTest
    @EnumSource
    void providerThatBlocks_blocksNobodyAndFailsTheRequestWithinItsBudget(Client whose) throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        List<Thread> askers = new CopyOnWriteArrayList<>();
        DynamoDbAsyncClient client = client(whose, () -> {
            askers.add(Thread.currentThread());
            await(release);
            return KEY;
        });
        CompletableFuture<?> waiting = ask(gateway(client, AMPLE)); // returns, or the test hangs here
        wasNotSent(failure(gateway(client, SHORT)));
        assertThat(sent()).isZero();
        assertThat(askers).hasSize(1).doesNotContain(Thread.currentThread());
        release.countDown();
        waiting.get(30, TimeUnit.SECONDS);
        ask(gateway(client, AMPLE)).get(30, TimeUnit.SECONDS);
        assertThat(askers).hasSize(1);
        assertThat(sent()).isEqualTo(2);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @EnumSource
    void manyRequestsOfManyGateways_askOnce(Client whose) throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();
        DynamoDbAsyncClient client = client(whose, () -> {
            asked.incrementAndGet();
            await(release);
            return KEY;
        });
        List<CompletableFuture<DescribeTableResponse>> all = IntStream.range(0, 50)
                .mapToObj(number -> ask(gateway(client, AMPLE)))
                .toList();
        release.countDown();
        for (CompletableFuture<DescribeTableResponse> each : all) {
            each.get(30, TimeUnit.SECONDS);
        }
        assertThat(asked).hasValue(1);
    }

    private static AwsCredentialsProvider failing(int times, Supplier<RuntimeException> failure, AtomicInteger asked) {
        return () -> {
            if (asked.getAndIncrement() < times) {
                throw failure.get();
            }
            return KEY;
        };
    }

    @ParameterizedTest
    @EnumSource
    void providerThatFailsForAWhile_isAskedAgainWithinTheBudget(Client whose) throws Exception {
        AtomicInteger asked = new AtomicInteger();
        DynamoDbAsyncClient client =
                client(whose, failing(3, () -> new IllegalStateException("not yet, in a test"), asked));
        ask(gateway(client, AMPLE)).get(30, TimeUnit.SECONDS);
        assertThat(asked).hasValue(4);
        assertThat(sent()).isEqualTo(1);
        assertThat(observed)
                .extracting(request -> request.failure().map(Enum::name).orElse("ok"))
                .containsExactly("NOT_SENT", "NOT_SENT", "NOT_SENT", "ok");
    }

    @ParameterizedTest
    @EnumSource
    void providerThatFails_meansThatTheRequestWasNotSent(Client whose) {
        DynamoDbAsyncClient client = client(
                whose,
                failing(Integer.MAX_VALUE, () -> new IllegalStateException("none, in a test"), new AtomicInteger()));
        StoreException failure = failure(gateway(client, SHORT));
        wasNotSent(failure);
        assertThat(failure).hasMessageContaining("none, in a test");
        assertThat(sent()).isZero();
    }

    /** What an attempt met says more than that the last one ran out of time. */
    @ParameterizedTest
    @EnumSource
    void providerThatFailsAndThenBlocks_isReportedByItsFailure(Client whose) {
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();
        DynamoDbAsyncClient client = client(whose, () -> {
            if (asked.getAndIncrement() == 0) {
                throw new IllegalStateException("none, in a test");
            }
            await(release);
            return KEY;
        });
        StoreException failure = failure(gateway(client, SHORT));
        release.countDown();
        wasNotSent(failure);
        assertThat(failure).hasMessageContaining("none, in a test").hasMessageContaining("after 2 attempts");
    }

    /** Gives a key that expires the sooner, and then another. */
    private static AwsCredentialsProvider expiring(Duration first, List<String> given) {
        return () -> {
            given.add("key" + given.size());
            return AwsSessionCredentials.builder()
                    .accessKeyId(given.get(given.size() - 1))
                    .secretAccessKey("secret")
                    .sessionToken("token")
                    .expirationTime(Instant.now().plus(given.size() == 1 ? first : Duration.ofHours(1)))
                    .build();
        };
    }

    @ParameterizedTest
    @EnumSource
    void expiredCredentials_areAskedForAgainBeforeTheNextRequest(Client whose) throws Exception {
        List<String> given = new CopyOnWriteArrayList<>();
        DynamoDbAsyncClient client = client(whose, expiring(KnownCredentials.MARGIN, given)); // for one request
        ask(gateway(client, AMPLE)).get(30, TimeUnit.SECONDS);
        ask(gateway(client, AMPLE)).get(30, TimeUnit.SECONDS);
        assertThat(given).hasSizeBetween(2, 3);
        assertThat(KnownCredentials.of(client).orElseThrow().areValid()).isTrue();
    }

    @Test
    void requestPastTheGateway_isNotSignedWithExpiredCredentialsEither() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        DynamoDbAsyncClient client = client(
                Client.OURS,
                () -> AwsSessionCredentials.builder()
                        .accessKeyId("key" + asked.incrementAndGet())
                        .secretAccessKey("secret")
                        .sessionToken("token")
                        .expirationTime(Instant.now().minusSeconds(1))
                        .build());
        assertThatThrownBy(() ->
                        client.describeTable(table -> table.tableName("ttt")).get(30, TimeUnit.SECONDS))
                .hasStackTraceContaining("expired at");
        assertThat(asked).hasValue(1);
        assertThat(sent()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void credentialsThatDynamoDBDoesNotAccept_areAskedForAgainOnce(Client whose) throws Exception {
        AtomicInteger asked = new AtomicInteger();
        DynamoDbAsyncClient client = client(whose, failing(0, IllegalStateException::new, asked));
        ask(gateway(client, AMPLE)).get(30, TimeUnit.SECONDS);
        answer.remove();
        FaultRule rotated = proxy.on(
                RequestMatch.operation("DescribeTable").times(1),
                Fault.error(
                        400, "UnrecognizedClientException", "The security token included in the request is invalid."));
        FaultRule answered = proxy.on(RequestMatch.operation("DescribeTable"), ANSWER);
        ask(gateway(client, AMPLE)).get(30, TimeUnit.SECONDS);
        assertThat(rotated.hits()).isEqualTo(1);
        answered.remove();
        assertThat(asked).hasValue(2);
        FaultRule wrong = proxy.on(
                RequestMatch.operation("DescribeTable"), Fault.error(400, "UnrecognizedClientException", "not you"));
        StoreException failure = failure(gateway(client, AMPLE));
        assertThat(failure.kind()).isEqualTo(FailureKind.REFUSED);
        assertThat(failure.isInvalid()).isFalse();
        assertThat(wrong.hits()).isEqualTo(2);
    }
}
