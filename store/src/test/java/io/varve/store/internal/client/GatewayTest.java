package io.varve.store.internal.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import io.varve.store.FailureKind;
import io.varve.store.StoreException;
import io.varve.store.StoreObserver;
import io.varve.store.TableMissingException;
import io.varve.store.ThrottledException;
import io.varve.store.ThrottledException.Reason;
import io.varve.store.internal.async.Backoff;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.FaultRule;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.TableNames;
import io.varve.testkit.ThrottleCode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.GetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.Put;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.ReplicatedWriteConflictException;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.dynamodb.model.ScanRequest;
import software.amazon.awssdk.services.dynamodb.model.ThrottlingReason;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

@DynamoDBTest
@SuppressWarnings("unchecked") // varargs of the SDK's builders
class GatewayTest {
    private static final Duration AMPLE = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(400);

    private final FaultProxy proxy;
    private final DynamoDbAsyncClient direct;
    private final String table;
    private final ExecutorService executor = Executors.newFixedThreadPool(2);
    private final ConcurrentLinkedQueue<StoreObserver.Request> observed = new ConcurrentLinkedQueue<>();
    private final DynamoDbAsyncClient client;

    GatewayTest(FaultProxy proxy, DynamoDbAsyncClient direct, TableNames tables) {
        this.proxy = proxy;
        this.direct = direct;
        this.table = tables.journal();
        this.client = proxy.client();
    }

    @BeforeEach
    void createTable() {
        direct.createTable(b -> b.tableName(table)
                        .attributeDefinitions(a -> a.attributeName("k").attributeType(ScalarAttributeType.S))
                        .keySchema(k -> k.attributeName("k").keyType(KeyType.HASH))
                        .billingMode(BillingMode.PAY_PER_REQUEST))
                .join();
    }

    @AfterEach
    void close() {
        client.close();
        executor.shutdownNow();
    }

    private Gateway gateway(Duration operation, Duration request) {
        return gateway(client, operation, request);
    }

    private Gateway gateway(DynamoDbAsyncClient sdk, Duration operation, Duration request) {
        GatewaySettings settings = new GatewaySettings(
                operation, request, new Backoff(Duration.ofMillis(1), Duration.ofMillis(50), 0.5), 2, Optional.empty());
        return new Gateway(sdk, settings, observed::add, executor);
    }

    private static Map<String, AttributeValue> item(String key) {
        return Map.of("k", AttributeValue.fromS(key), "v", AttributeValue.fromS("value of " + key));
    }

    private PutItemRequest putIfFree(String key) {
        return PutItemRequest.builder()
                .tableName(table)
                .item(item(key))
                .conditionExpression("attribute_not_exists(k)")
                .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD)
                .build();
    }

    private TransactWriteItem transactPutIfFree(String key) {
        return TransactWriteItem.builder()
                .put(Put.builder()
                        .tableName(table)
                        .item(item(key))
                        .conditionExpression("attribute_not_exists(k)")
                        .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD)
                        .build())
                .build();
    }

    private List<WriteRequest> writes(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> WriteRequest.builder()
                        .putRequest(p -> p.item(item("k" + i)))
                        .build())
                .toList();
    }

    private int stored() {
        return direct.scan(ScanRequest.builder()
                        .tableName(table)
                        .consistentRead(true)
                        .build())
                .join()
                .count();
    }

    private static <T> T await(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    @ParameterizedTest
    @EnumSource(ThrottleCode.class)
    void throttledForAWhile_succeedsWithinTheBudget(ThrottleCode code) {
        proxy.on(RequestMatch.operation("PutItem").times(5), Fault.throttle(code));
        Gateway gateway = gateway(AMPLE, AMPLE);
        assertThat(await(gateway.putItem(putIfFree("a"), gateway.budget()))).isEqualTo(new WriteResult.Applied(false));
        assertThat(observed).hasSize(6);
        assertThat(observed.stream().map(StoreObserver.Request::attempt)).containsExactly(1, 2, 3, 4, 5, 6);
        assertThat(observed.stream().limit(5).map(StoreObserver.Request::failure))
                .containsOnly(Optional.of(FailureKind.THROTTLED));
        assertThat(stored()).isEqualTo(1);
    }

    @Test
    void throttledForEver_failsWithinTheBudgetAndNamesReasonAndResource() {
        proxy.on(
                RequestMatch.operation("PutItem"),
                Fault.throttle(
                        ThrottleCode.PROVISIONED_THROUGHPUT_EXCEEDED,
                        ThrottlingReason.builder()
                                .reason("TableWriteKeyRangeThroughputExceeded")
                                .resource("arn:aws:dynamodb:eu-west-1:123456789012:table/" + table)
                                .build()));
        Gateway gateway = gateway(SHORT, AMPLE);
        assertThatThrownBy(() -> await(gateway.putItem(putIfFree("a"), gateway.budget())))
                .isInstanceOfSatisfying(ThrottledException.class, e -> {
                    assertThat(e.reasons())
                            .containsExactly(new Reason(
                                    "TableWriteKeyRangeThroughputExceeded",
                                    "arn:aws:dynamodb:eu-west-1:123456789012:table/" + table));
                    assertThat(e.mayHaveTakenEffect()).isEqualTo(anAttemptWasCutOff());
                })
                .hasMessageContaining("PutItem on table '" + table + "' was throttled")
                .hasMessageContaining("TableWriteKeyRangeThroughputExceeded on arn:aws:dynamodb")
                .hasMessageContaining("operation-timeout");
        assertThat(stored()).isZero();
    }

    /** By the end of the budget, which can come while the proxy answers. */
    private boolean anAttemptWasCutOff() {
        return observed.stream().anyMatch(request -> request.failure().equals(Optional.of(FailureKind.NO_ANSWER)));
    }

    @Test
    void serverErrorsAndResetsBeforeTheEffect_areRetried() {
        proxy.on(RequestMatch.operation("PutItem").times(1), Fault.internalServerError());
        proxy.on(RequestMatch.operation("PutItem").times(1), Fault.serviceUnavailable());
        proxy.on(RequestMatch.operation("PutItem").times(1), Fault.resetBefore());
        proxy.on(RequestMatch.operation("PutItem").times(1), Fault.transactionConflict());
        Gateway gateway = gateway(AMPLE, AMPLE);
        assertThat(await(gateway.putItem(putIfFree("a"), gateway.budget()))).isEqualTo(new WriteResult.Applied(true));
        assertThat(observed.stream().map(r -> r.failure().map(Enum::name).orElse("ok")))
                .containsExactly("SERVER_ERROR", "SERVER_ERROR", "CONNECTION", "TRANSACTION_CONFLICT", "ok");
    }

    @Test
    void conflictWithAWriteInAnotherRegion_isRetried_andNamedWhenItStays() {
        Fault conflict = Fault.error(
                400, "ReplicatedWriteConflictException", "One or more items are being modified in another Region");
        proxy.on(RequestMatch.operation("PutItem").times(2), conflict);
        Gateway gateway = gateway(AMPLE, AMPLE);
        assertThat(await(gateway.putItem(putIfFree("a"), gateway.budget()))).isEqualTo(new WriteResult.Applied(false));
        assertThat(observed.stream().map(r -> r.failure().map(Enum::name).orElse("ok")))
                .containsExactly("REPLICATION_CONFLICT", "REPLICATION_CONFLICT", "ok");

        Failure failure = Failure.of(ReplicatedWriteConflictException.builder()
                .message("another Region")
                .build());
        assertThat(failure.kind().retryable()).isTrue();
        assertThat(failure.kind().uncertain()).isFalse();
        assertThat(Translation.exception("PutItem", "journal", failure, 3, gateway.budget(), false))
                .hasMessageStartingWith(
                        "PutItem on table 'journal' failed after 3 attempts within 30.0 s: a write in another region of"
                                + " the global table holds the item (another Region");
    }

    @Test
    void resetAfterTheEffect_isRetriedAndTheCallerSeesThatItMayBeItsOwnWrite() {
        proxy.on(RequestMatch.operation("PutItem").times(1), Fault.resetAfter());
        Gateway gateway = gateway(AMPLE, AMPLE);
        assertThat(await(gateway.putItem(putIfFree("a"), gateway.budget())))
                .isEqualTo(new WriteResult.ConditionFailed(Map.of(0, item("a")), true));
        assertThat(stored()).isEqualTo(1);
    }

    @Test
    void conditionThatFailsAtOnce_isNotOurOwnWrite() {
        Gateway gateway = gateway(AMPLE, AMPLE);
        await(gateway.putItem(putIfFree("a"), gateway.budget()));
        assertThat(await(gateway.putItem(putIfFree("a"), gateway.budget())))
                .isEqualTo(new WriteResult.ConditionFailed(Map.of(0, item("a")), false));
    }

    @Test
    void transactionWhoseAnswerIsLost_isAppliedOnce() {
        proxy.on(RequestMatch.operation("TransactWriteItems").times(1), Fault.resetAfter());
        Gateway gateway = gateway(AMPLE, AMPLE);
        assertThat(await(gateway.transactWriteItems(
                        List.of(transactPutIfFree("a"), transactPutIfFree("b")), gateway.budget())))
                .isEqualTo(new WriteResult.Applied(true));
        assertThat(stored()).isEqualTo(2);
    }

    @Test
    void transactionCancelledByConflictsAndThrottling_isRetried() {
        proxy.on(
                RequestMatch.operation("TransactWriteItems").times(2),
                Fault.cancelTransaction("None", "TransactionConflict"));
        proxy.on(
                RequestMatch.operation("TransactWriteItems").times(1),
                Fault.cancelTransaction("ThrottlingError", "None"));
        proxy.on(RequestMatch.operation("TransactWriteItems").times(1), Fault.transactionInProgress());
        Gateway gateway = gateway(AMPLE, AMPLE);
        assertThat(await(gateway.transactWriteItems(
                        List.of(transactPutIfFree("a"), transactPutIfFree("b")), gateway.budget())))
                .isEqualTo(new WriteResult.Applied(false));
        assertThat(observed.stream().map(r -> r.failure().map(Enum::name).orElse("ok")))
                .containsExactly(
                        "TRANSACTION_CONFLICT", "TRANSACTION_CONFLICT", "THROTTLED", "TRANSACTION_CONFLICT", "ok");
    }

    @Test
    void transactionWithATakenKey_saysWhichOneAndChangesNothing() {
        Gateway gateway = gateway(AMPLE, AMPLE);
        await(gateway.putItem(putIfFree("b"), gateway.budget()));
        assertThat(await(gateway.transactWriteItems(
                        List.of(transactPutIfFree("a"), transactPutIfFree("b")), gateway.budget())))
                .isEqualTo(new WriteResult.ConditionFailed(Map.of(1, item("b")), false));
        assertThat(stored()).isEqualTo(1);
    }

    @Test
    void requestWithoutAnswer_isAbortedAndSentAgain() {
        proxy.on(RequestMatch.operation("GetItem").times(1), Fault.hang());
        Gateway gateway = gateway(AMPLE, Duration.ofSeconds(2));
        GetItemRequest get = GetItemRequest.builder()
                .tableName(table)
                .key(Map.of("k", AttributeValue.fromS("a")))
                .build();
        assertThat(await(gateway.call(Call.GET_ITEM, get, gateway.budget())).hasItem())
                .isFalse();
        assertThat(observed.stream().map(r -> r.failure().map(Enum::name).orElse("ok")))
                .containsExactly("NO_ANSWER", "ok");
    }

    @Test
    void hangForEver_failsWithinTheBudgetAndSaysThatItMayHaveTakenEffect() {
        proxy.on(RequestMatch.operation("PutItem"), Fault.hang());
        Gateway gateway = gateway(SHORT, AMPLE);
        assertThatThrownBy(() -> await(gateway.putItem(putIfFree("a"), gateway.budget())))
                .isInstanceOfSatisfying(StoreException.class, e -> {
                    assertThat(e.kind()).isEqualTo(FailureKind.NO_ANSWER);
                    assertThat(e.mayHaveTakenEffect()).isTrue();
                })
                .hasMessageContaining("may have taken effect");
    }

    @Test
    void halfProcessedBatchWrite_isCompletedAndNothingIsSentTwice() {
        proxy.on(RequestMatch.operation("BatchWriteItem").times(1), Fault.unprocessed());
        proxy.on(RequestMatch.operation("BatchWriteItem").times(3), Fault.unprocessed(7));
        Gateway gateway = gateway(AMPLE, AMPLE);
        await(gateway.batchWrite(table, writes(60), gateway.budget()));
        assertThat(stored()).isEqualTo(60);
        int accepted = 25 + 25 + 10;
        int sentAgain = 25 + 7 + 7 + 7;
        assertThat(observed.stream().mapToInt(StoreObserver.Request::items).sum())
                .isLessThanOrEqualTo(accepted + sentAgain);
    }

    @Test
    void batchWriteUnprocessedForEver_failsWithinTheBudget() {
        FaultRule rule = proxy.on(RequestMatch.operation("BatchWriteItem"), Fault.unprocessed());
        Gateway gateway = gateway(SHORT, AMPLE);
        assertThatThrownBy(() -> await(gateway.batchWrite(table, writes(10), gateway.budget())))
                .isInstanceOf(ThrottledException.class)
                .hasMessageContaining("10 items");
        assertThat(rule.hits()).isGreaterThan(1);
        assertThat(stored()).isZero();
    }

    @Test
    void batchWrite_keepsItsConcurrencyBounded() {
        var gate = proxy.hold(RequestMatch.operation("BatchWriteItem"));
        Gateway gateway = gateway(AMPLE, AMPLE);
        CompletionStage<Void> done = gateway.batchWrite(table, writes(150), gateway.budget());
        gate.awaitArrivals(2);
        assertThat(gate.arrivals()).isEqualTo(2);
        gate.releaseAll();
        await(done);
        assertThat(stored()).isEqualTo(150);
    }

    @Test
    void halfProcessedBatchGet_isCompletedAndNothingComesTwice() {
        Gateway gateway = gateway(AMPLE, AMPLE);
        await(gateway.batchWrite(table, writes(130), gateway.budget()));
        proxy.on(RequestMatch.operation("BatchGetItem").times(1), Fault.unprocessed());
        proxy.on(RequestMatch.operation("BatchGetItem").times(2), Fault.unprocessed(11));
        List<Map<String, AttributeValue>> keys = new ArrayList<>();
        for (int i = 0; i < 140; i++) {
            keys.add(Map.of("k", AttributeValue.fromS("k" + i)));
        }
        List<Map<String, AttributeValue>> found = await(gateway.batchGet(table, keys, true, gateway.budget()));
        assertThat(found).hasSize(130).doesNotHaveDuplicates();
    }

    @Test
    void missingTable_isNamedWithWhatToDo() {
        Gateway gateway = gateway(AMPLE, AMPLE);
        PutItemRequest put =
                putIfFree("a").toBuilder().tableName("no-such-table").build();
        assertThatThrownBy(() -> await(gateway.putItem(put, gateway.budget())))
                .isInstanceOf(TableMissingException.class)
                .hasMessageContaining("'no-such-table'")
                .hasMessageContaining("VarveTables");
        assertThat(observed).hasSize(1);
    }

    @Test
    void refusedRequest_isNotRetried() {
        Gateway gateway = gateway(AMPLE, AMPLE);
        PutItemRequest put = putIfFree("a").toBuilder()
                .item(Map.of("x", AttributeValue.fromS("no key")))
                .build();
        assertThatThrownBy(() -> await(gateway.putItem(put, gateway.budget())))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.REFUSED));
        assertThat(observed).hasSize(1);
    }

    @Test
    void retriesOfAUsersOwnClient_doNotMultiplyWithOurs() {
        proxy.on(RequestMatch.operation("PutItem").times(3), Fault.internalServerError());
        try (DynamoDbAsyncClient retrying = retryingClient()) {
            Gateway gateway = gateway(retrying, AMPLE, AMPLE);
            await(gateway.putItem(putIfFree("a"), gateway.budget()));
        }
        assertThat(observed).hasSize(4);
        assertThat(proxy.requests().operations()).containsExactly("PutItem", "PutItem", "PutItem", "PutItem");
    }

    @Test
    void timeoutsOfAUsersOwnClient_areMissingAnswersNotRefusals() {
        var attempt = software.amazon.awssdk.core.exception.ApiCallAttemptTimeoutException.create(1);
        var call = software.amazon.awssdk.core.exception.ApiCallTimeoutException.create(1);
        assertThat(Failure.of(attempt).kind()).isEqualTo(FailureKind.NO_ANSWER);
        assertThat(Failure.of(call).kind()).isEqualTo(FailureKind.NO_ANSWER);
    }

    private static ClientFactory.Built built(URI endpoint, String http) {
        return ClientFactory.build(ClientSettings.from(
                ConfigFactory.parseString("""
                        endpoint = "%s"
                        credentials { access-key-id = some, secret-access-key = key }
                        http { %s }
                        """.formatted(endpoint, http))
                        .withFallback(ConfigFactory.defaultReference().getConfig(ClientSettings.PATH)),
                ClientSettings.PATH));
    }

    @Test
    void closedClient_isNoRefusalAndNothingWasSent() {
        ClientFactory.Built built = built(proxy.endpoint(), "");
        built.close();
        Gateway gateway = gateway(built.client(), SHORT, AMPLE);
        assertThatThrownBy(() -> await(gateway.putItem(putIfFree("a"), gateway.budget())))
                .isInstanceOfSatisfying(StoreException.class, e -> {
                    assertThat(e.kind()).isEqualTo(FailureKind.NOT_SENT);
                    assertThat(e.mayHaveTakenEffect()).isEqualTo(anAttemptWasCutOff());
                })
                .hasMessageContaining("was not sent")
                .hasMessageContaining("The HTTP client is closed");
    }

    @Test
    void closedClientOfTheSdk_isNoRefusal() {
        for (String http : List.of("implementation = sdk", "implementation = varve")) {
            ClientFactory.Built built = built(proxy.endpoint(), http);
            Gateway open = gateway(built.client(), AMPLE, AMPLE);
            await(open.putItem(putIfFree(http), open.budget()));
            built.close();
            Gateway gateway = gateway(built.client(), SHORT, AMPLE);
            assertThatThrownBy(() -> await(gateway.putItem(putIfFree("b"), gateway.budget())))
                    .isInstanceOfSatisfying(
                            StoreException.class,
                            e -> assertThat(e.kind().retryable()).isTrue());
        }
    }

    @Test
    void connectionThatCannotBeMade_isNoUncertainWrite() throws Exception {
        try (Socket deaf = new Socket()) { // has the port and does not listen
            deaf.bind(new InetSocketAddress(InetAddress.getByName("localhost"), 0));
            ClientFactory.Built built = built(URI.create("http://localhost:" + deaf.getLocalPort()), "");
            try {
                Gateway gateway = gateway(built.client(), SHORT, AMPLE);
                assertThatThrownBy(() -> await(gateway.putItem(putIfFree("a"), gateway.budget())))
                        .isInstanceOfSatisfying(StoreException.class, e -> {
                            assertThat(e.kind()).isEqualTo(FailureKind.NOT_SENT);
                            assertThat(e.mayHaveTakenEffect()).isEqualTo(anAttemptWasCutOff());
                        })
                        .hasMessageContaining("Cannot connect to ");
            } finally {
                built.close();
            }
        }
    }

    private DynamoDbAsyncClient retryingClient() {
        return DynamoDbAsyncClient.builder()
                .endpointOverride(proxy.endpoint())
                .region(software.amazon.awssdk.regions.Region.US_EAST_1)
                .credentialsProvider(software.amazon.awssdk.auth.credentials.StaticCredentialsProvider.create(
                        software.amazon.awssdk.auth.credentials.AwsBasicCredentials.create("k", "s")))
                .overrideConfiguration(o -> o.retryStrategy(AwsRetryStrategy.standardRetryStrategy()))
                .build();
    }

    @Test
    void brokenObserver_doesNotBreakTheRequest() {
        GatewaySettings settings = new GatewaySettings(
                AMPLE, AMPLE, new Backoff(Duration.ofMillis(1), Duration.ofMillis(50), 0.5), 2, Optional.empty());
        Gateway gateway = new Gateway(
                client,
                settings,
                request -> {
                    throw new IllegalStateException("broken on purpose");
                },
                executor);
        assertThat(await(gateway.putItem(putIfFree("a"), gateway.budget()))).isEqualTo(new WriteResult.Applied(false));
    }

    @Test
    void observer_hearsOperationTableItemsAndCapacity() {
        Gateway gateway = gateway(AMPLE, AMPLE);
        await(gateway.putItem(putIfFree("a"), gateway.budget()));
        assertThat(observed).singleElement().satisfies(request -> {
            assertThat(request.operation()).isEqualTo("PutItem");
            assertThat(request.table()).isEqualTo(table);
            assertThat(request.items()).isEqualTo(1);
            assertThat(request.capacityUnits()).isEqualTo(1.0);
            assertThat(request.failure()).isEmpty();
        });
    }

    @Test
    void executorThatTakesNoMore_theRetryIsMadeAllTheSame() {
        proxy.on(RequestMatch.operation("PutItem").times(2), Fault.internalServerError());
        Gateway gateway = gateway(AMPLE, AMPLE);
        executor.shutdown();
        assertThat(await(gateway.putItem(putIfFree("a"), gateway.budget()))).isEqualTo(new WriteResult.Applied(true));
    }
}
