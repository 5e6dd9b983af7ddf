package io.varve.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.varve.projection.Recorder.Kind;
import io.varve.projection.internal.pekko.PekkoProjection;
import io.varve.projection.internal.progress.Transactions;
import io.varve.projection.internal.retry.OutageRetries;
import io.varve.projection.javadsl.DynamoDBProjection;
import io.varve.projection.javadsl.DynamoDBSourceProvider;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.FaultRule;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.ThrottleCode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.HandlerRecoveryStrategy;
import org.apache.pekko.projection.ProjectionBehavior;
import org.apache.pekko.projection.ProjectionId;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** DynamoDB fails for longer than an operation has time: the projection waits, and no recovery strategy hears of it. */
class OutageTest {
    private static final Duration LONG = Duration.ofHours(1);
    private static final HandlerRecoveryStrategy SKIP = HandlerRecoveryStrategy.skip();
    private static final RequestMatch TRANSACTIONS = RequestMatch.operation("TransactWriteItems");
    private static final Fault THROTTLE = Fault.throttle(ThrottleCode.PROVISIONED_THROUGHPUT_EXCEEDED);
    private static final Map<String, List<String>> OUTAGES = new ConcurrentHashMap<>();

    private static FaultProxy proxy;
    private static TestSystem test;
    private static WarningsOf warnings;

    @BeforeAll
    static void start() {
        proxy = FaultProxy.start(DynamoDBLocal.shared().endpoint());
        test = new TestSystem(proxy.endpoint(), """
                impatient = ${pekko.persistence.dynamodb.client}
                impatient { operation-timeout = 200 ms, request-timeout = 100 ms }
                pekko.projection.dynamodb {
                  use-client = impatient
                  offset-store.retries { min-backoff = 1 ms, max-backoff = 10 ms }
                }
                waiting.offset-store.retries { min-backoff = 1 hour, max-backoff = 1 hour }
                """);
        ProgressObservers.get(test.system()).add(new ProgressObserver() {
            @Override
            public void stored(ProjectionId projection, int slice, Instant seen, Instant stored) {}

            @Override
            public void outage(ProjectionId projection, Throwable cause, Duration lasting) {
                outages(projection.name()).add(String.valueOf(cause.getMessage()));
            }
        });
        warnings = new WarningsOf(OutageRetries.class);
    }

    @AfterAll
    static void stop() {
        warnings.close();
        test.close();
        proxy.close();
    }

    @AfterEach
    void clear() {
        proxy.clear();
    }

    /** What made a projection wait. */
    private static List<String> outages(String name) {
        return OUTAGES.computeIfAbsent(name, ignored -> new CopyOnWriteArrayList<>());
    }

    private static void awaitOutages(String name, int number, String words) {
        await().untilAsserted(() -> assertThat(outages(name))
                .filteredOn(message -> message.contains(words))
                .hasSizeGreaterThanOrEqualTo(number));
    }

    private static List<HandlerRecoveryStrategy> strategies() {
        return List.of(
                SKIP, HandlerRecoveryStrategy.retryAndSkip(1, Duration.ofMillis(1)), HandlerRecoveryStrategy.fail());
    }

    private static Stream<Arguments> kindsAndStrategies() {
        return Stream.of(Kind.values())
                .filter(kind -> kind != Kind.FLOW)
                .flatMap(kind -> strategies().stream().map(strategy -> Arguments.of(kind, strategy)));
    }

    /** Exactly-once writes go to the handler's table, which alone is throttled; the others save their offsets. */
    private static RequestMatch storing(Kind kind) {
        return kind.isExactlyOnce()
                ? TRANSACTIONS.table(test.target())
                : RequestMatch.operation("BatchWriteItem").table(test.offsets());
    }

    @ParameterizedTest
    @MethodSource("kindsAndStrategies")
    void throttledTable_losesNothing_andCallsTheHandlerOnce(Kind kind, HandlerRecoveryStrategy strategy) {
        String name = "throttled-" + kind + "-" + strategy.getClass().getSimpleName();
        Watcher watcher = new Watcher();
        Recorder recorder = new Recorder(test);
        FaultRule throttled = proxy.on(storing(kind), THROTTLE);
        test.persist(name + "|a", "1", "2", "3");
        ActorRef<ProjectionBehavior.Command> projection = test.start(recorder.projection(kind, name)
                .withGroup(3, LONG)
                .withSaveOffset(3, LONG)
                .withRecoveryStrategy(strategy)
                .withStatusObserver(watcher));
        awaitOutages(name, 3, "was throttled");
        throttled.remove();

        await().untilAsserted(() -> assertThat(test.stored(name, name + "|a")).isEqualTo(3));
        test.stop(projection);
        assertThat(recorder.applied(name + "|a")).containsExactly("1", "2", "3");
        assertThat(recorder.attempts()).containsExactly("1", "2", "3");
        assertThat(watcher.errors()).isEmpty();
        assertThat(watcher.failures()).isEmpty();
        assertThat(watcher.notes()).containsOnlyOnce("started");
    }

    /** What may pass, and the words for it. */
    private static Stream<Arguments> passing() {
        return Stream.of(
                Arguments.of(
                        "conflict",
                        Fault.cancelTransaction("TransactionConflict"),
                        "another transaction holds the item"),
                Arguments.of("throttled-item", Fault.cancelTransaction("ThrottlingError"), "was throttled"),
                Arguments.of("unavailable", Fault.serviceUnavailable(), "a fault of its own"),
                Arguments.of("reset", Fault.resetBefore(), "the connection"),
                Arguments.of("silence", Fault.hang(), "no answer in time"),
                Arguments.of("denied", Fault.error(400, "AccessDeniedException", "not yet"), "not yet"),
                Arguments.of("expired", Fault.error(400, "ExpiredTokenException", "too old"), "too old"),
                Arguments.of("no-table", Fault.error(400, "ResourceNotFoundException", "gone"), "does not exist"));
    }

    @ParameterizedTest
    @MethodSource("passing")
    void whatMayPass_isWaitedOut_andNothingIsSkipped(String what, Fault fault, String words) {
        String name = "passing-" + what;
        Watcher watcher = new Watcher();
        Recorder recorder = new Recorder(test);
        FaultRule rule = proxy.on(TRANSACTIONS.table(test.target()), fault);
        test.persist(name + "|a", "1", "2");
        ActorRef<ProjectionBehavior.Command> projection = test.start(recorder.projection(Kind.EXACTLY_ONCE, name)
                .withRecoveryStrategy(SKIP)
                .withStatusObserver(watcher));
        awaitOutages(name, 2, words);
        rule.remove();

        await().untilAsserted(() -> assertThat(recorder.applied(name + "|a")).containsExactly("1", "2"));
        test.stop(projection);
        assertThat(recorder.attempts()).containsExactly("1", "2");
        assertThat(watcher.errors()).isEmpty();
    }

    /** What can never succeed. */
    private static Stream<Arguments> never() {
        return Stream.of(
                Arguments.of(
                        "invalid", Fault.error(400, "ValidationException", "no such attribute"), "no such attribute"),
                Arguments.of("invalid-item", Fault.cancelTransaction("ValidationError"), "ValidationError"),
                Arguments.of(
                        "collection",
                        Fault.cancelTransaction("ItemCollectionSizeLimitExceeded"),
                        "ItemCollectionSizeLimitExceeded"),
                Arguments.of("body", Fault.error(413, "RequestEntityTooLarge", "too much"), "too much"));
    }

    @ParameterizedTest
    @MethodSource("never")
    void whatCanNeverSucceed_isForTheStrategy(String what, Fault fault, String words) {
        String name = "never-" + what;
        Watcher watcher = new Watcher();
        Recorder recorder = new Recorder(test);
        proxy.on(TRANSACTIONS.table(test.target()).times(1), fault);
        test.persist(name + "|a", "1", "2");
        ActorRef<ProjectionBehavior.Command> projection = test.start(recorder.projection(Kind.EXACTLY_ONCE, name)
                .withRecoveryStrategy(SKIP)
                .withStatusObserver(watcher));
        await().untilAsserted(() -> assertThat(recorder.applied(name + "|a")).containsExactly("2"));
        test.stop(projection);
        assertThat(watcher.errors()).singleElement().asString().contains(words, "event 1 of '" + name + "|a'");
        assertThat(test.stored(name, name + "|a")).isEqualTo(2);
    }

    @Test
    void conditionOfTheHandler_isForTheStrategy() {
        Watcher watcher = new Watcher();
        test.persist("condition|a", "1", "2");
        ActorRef<ProjectionBehavior.Command> projection = test.start(DynamoDBProjection.exactlyOnce(
                        ProjectionId.of("condition", "all"),
                        Optional.empty(),
                        DynamoDBSourceProvider.<String>eventsBySlices(test.system(), "condition", 0, 1023),
                        () -> DynamoDBTransactHandler.<EventEnvelope<String>>fromFunction(
                                envelope -> CompletableFuture.completedFuture(onlyTheSecond(envelope))),
                        test.system())
                .withRecoveryStrategy(SKIP)
                .withStatusObserver(watcher));
        await().untilAsserted(() ->
                assertThat(test.stored("condition", "condition|a")).isEqualTo(2));
        test.stop(projection);
        assertThat(watcher.errors()).singleElement().asString().contains("for event 1 of 'condition|a' did not hold");
    }

    private static Collection<TransactWriteItem> onlyTheSecond(EventEnvelope<String> envelope) {
        return List.of(TransactWriteItem.builder()
                .put(put -> put.tableName(test.target())
                        .item(Map.of("id", AttributeValue.fromS("condition")))
                        .conditionExpression(
                                envelope.getEvent().equals("1") ? "attribute_exists(id)" : "attribute_not_exists(id)"))
                .build());
    }

    @ParameterizedTest
    @EnumSource(names = {"EXACTLY_ONCE", "EXACTLY_ONCE_GROUPED"})
    void lostAnswer_beforeAnOutage_isRecognizedAsStored(Kind kind) {
        String name = "lost-" + kind;
        Recorder recorder = new Recorder(test);
        proxy.on(TRANSACTIONS.table(test.target()).times(1), Fault.resetAfter());
        FaultRule outage = proxy.on(TRANSACTIONS.table(test.target()), THROTTLE);
        test.persist(name + "|a", "1", "2", "3");
        try (WarningsOf transactions = new WarningsOf(Transactions.class)) {
            ActorRef<ProjectionBehavior.Command> projection = test.start(recorder.projection(kind, name)
                    .withGroup(2, Duration.ofMillis(50))
                    .withRecoveryStrategy(SKIP));
            awaitOutages(name, 1, "was throttled");
            outage.remove();
            await().untilAsserted(
                            () -> assertThat(test.stored(name, name + "|a")).isEqualTo(3));
            test.stop(projection);
            assertThat(transactions.messages()).anyMatch(message -> message.contains("whose answer was lost"));
        }
        assertThat(recorder.applied(name + "|a")).containsExactly("1", "2", "3");
        assertThat(recorder.attempts()).containsExactly("1", "2", "3");
    }

    private static DynamoDBProjectionSettings waitingLong() {
        return DynamoDBProjectionSettings.create(test.system(), "waiting");
    }

    @ParameterizedTest
    @EnumSource
    void stop_inAnOutage_doesNotWait_andNothingIsLost(Kind kind) {
        String name = "stop-" + kind;
        Watcher watcher = new Watcher();
        Recorder recorder = new Recorder(test);
        proxy.on(RequestMatch.operation("TransactWriteItems", "BatchWriteItem").table(test.offsets()), THROTTLE);
        test.persist(name + "|a", "1", "2");
        PekkoProjection<EventEnvelope<String>> waiting = recorder.projection(
                        kind,
                        ProjectionId.of(name, "0-1023"),
                        Optional.of(waitingLong()),
                        DynamoDBSourceProvider.eventsBySlices(test.system(), name, 0, 1023))
                .withGroup(2, LONG)
                .withSaveOffset(1, LONG)
                .withRecoveryStrategy(SKIP)
                .withStatusObserver(watcher);
        ActorRef<ProjectionBehavior.Command> projection = test.start(waiting);
        awaitOutages(name, 1, "");
        test.stop(projection);
        assertThat(watcher.errors()).isEmpty();
        assertThat(watcher.failures()).isEmpty();
        assertThat(test.stored(name, name + "|a")).isZero();

        proxy.clear();
        ActorRef<ProjectionBehavior.Command> again =
                test.start(recorder.projection(kind, name).withGroup(2, LONG).withSaveOffset(1, LONG));
        await().untilAsserted(() -> assertThat(test.stored(name, name + "|a")).isEqualTo(2));
        test.stop(again);
        List<String> applied = new ArrayList<>(recorder.applied(name + "|a"));
        assertThat(applied.subList(applied.size() - 2, applied.size())).containsExactly("1", "2");
        if (kind.isExactlyOnce()) {
            assertThat(applied).hasSize(2);
        }
    }

    @Test
    void outageWhileEntitiesAreRead_isWaitedOut() {
        Watcher watcher = new Watcher();
        Recorder recorder = new Recorder(test);
        ActorRef<ProjectionBehavior.Command> projection =
                test.start(recorder.projection(Kind.EXACTLY_ONCE, "reads").withStatusObserver(watcher));
        test.persist("reads|a", "1");
        await().untilAsserted(() -> assertThat(recorder.applied("reads|a")).containsExactly("1"));
        FaultRule rule = proxy.on(RequestMatch.operation("BatchGetItem").table(test.offsets()), THROTTLE);
        test.persist("reads|b", "2");
        awaitOutages("reads", 2, "was throttled");
        rule.remove();
        await().untilAsserted(() -> assertThat(recorder.applied("reads|b")).containsExactly("2"));
        test.stop(projection);
        assertThat(watcher.failures()).isEmpty();
        assertThat(watcher.notes()).containsOnlyOnce("started");
    }

    @Test
    void outageAtTheStart_isWaitedOut() {
        Watcher watcher = new Watcher();
        Recorder recorder = new Recorder(test);
        FaultRule rule = proxy.on(RequestMatch.operation("BatchGetItem").table(test.offsets()), THROTTLE);
        ActorRef<ProjectionBehavior.Command> projection =
                test.start(recorder.projection(Kind.EXACTLY_ONCE, "beginning").withStatusObserver(watcher));
        awaitOutages("beginning", 2, "was throttled");
        rule.remove();
        test.persist("beginning|a", "1");
        await().untilAsserted(() -> assertThat(recorder.applied("beginning|a")).containsExactly("1"));
        test.stop(projection);
        assertThat(watcher.notes()).containsOnlyOnce("started");
    }
}
