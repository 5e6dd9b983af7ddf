package io.varve.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.varve.projection.javadsl.DynamoDBProjection;
import io.varve.projection.javadsl.DynamoDBSourceProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.HandlerRecoveryStrategy;
import org.apache.pekko.projection.ProjectionBehavior;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.javadsl.ActorHandler;
import org.apache.pekko.projection.javadsl.Handler;
import org.apache.pekko.projection.javadsl.SourceProvider;
import org.apache.pekko.projection.javadsl.StatefulHandler;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** Handlers of all kinds, and how they live. */
class HandlerTest {
    private static TestSystem test;

    @BeforeAll
    static void start() {
        test = new TestSystem("");
    }

    @AfterAll
    static void stop() {
        test.close();
    }

    private static SourceProvider<Offset, EventEnvelope<String>> source(String name) {
        return DynamoDBSourceProvider.eventsBySlices(test.system(), name, 0, 1023);
    }

    private static ProjectionId id(String name) {
        return ProjectionId.of(name, "0-1023");
    }

    private static CompletionStage<Done> done() {
        return Recorder.done();
    }

    /** Notes its life, with the number of the instance; it counts what it has processed. */
    private static final class Noting extends Handler<EventEnvelope<String>> {
        private final int number;
        private final List<String> notes;
        private int count;

        Noting(int number, List<String> notes) {
            this.number = number;
            this.notes = notes;
        }

        @Override
        public CompletionStage<Done> start() {
            notes.add("start " + number);
            return done();
        }

        @Override
        public CompletionStage<Done> process(EventEnvelope<String> envelope) {
            count++;
            notes.add(envelope.getEvent() + " " + number + " " + count);
            if (envelope.getEvent().equals("fail") && number == 1) {
                throw new IllegalStateException("fail");
            }
            return done();
        }

        @Override
        public CompletionStage<Done> stop() {
            notes.add("stop " + number);
            return done();
        }
    }

    @Test
    void handler_isMadeAnewForEachStart_andStartedAndStoppedInOrder() {
        List<String> notes = new CopyOnWriteArrayList<>();
        AtomicInteger made = new AtomicInteger();
        var projection = DynamoDBProjection.atLeastOnce(
                        id("life"),
                        Optional.empty(),
                        source("life"),
                        () -> new Noting(made.incrementAndGet(), notes),
                        test.system())
                .withSaveOffset(1, Duration.ofMillis(1));
        test.persist("life|a", "one", "fail");
        ActorRef<ProjectionBehavior.Command> running = test.start(projection);
        await().untilAsserted(() -> assertThat(test.stored("life", "life|a")).isEqualTo(2));
        test.stop(running);

        assertThat(notes)
                .startsWith("start 1", "one 1 1", "fail 1 2", "stop 1", "start 2")
                .endsWith("stop 2");
        assertThat(notes)
                .filteredOn(note -> note.startsWith("start") || note.startsWith("stop"))
                .containsExactly("start 1", "stop 1", "start 2", "stop 2");

        ActorRef<ProjectionBehavior.Command> again = test.start(projection);
        test.persist("life|a", "three");
        await().untilAsserted(() -> assertThat(notes).endsWith("start 3", "three 3 1"));
        test.stop(again);
        assertThat(notes).endsWith("stop 3");
    }

    @Test
    void start_thatFails_isTriedAgain_andStopIsCalledInBetween() {
        List<String> notes = new CopyOnWriteArrayList<>();
        AtomicInteger starts = new AtomicInteger();
        ActorRef<ProjectionBehavior.Command> running = test.start(DynamoDBProjection.exactlyOnce(
                id("starts"),
                Optional.empty(),
                source("starts"),
                () -> new DynamoDBTransactHandler<EventEnvelope<String>>() {
                    @Override
                    public CompletionStage<Done> start() {
                        notes.add("start");
                        return switch (starts.incrementAndGet()) {
                            case 1 -> throw new IllegalStateException("start");
                            case 2 -> CompletableFuture.failedFuture(new IllegalStateException("start"));
                            default -> done();
                        };
                    }

                    @Override
                    public CompletionStage<Collection<TransactWriteItem>> process(EventEnvelope<String> envelope) {
                        notes.add(envelope.getEvent());
                        return CompletableFuture.completedFuture(List.of());
                    }

                    @Override
                    public CompletionStage<Done> stop() {
                        notes.add("stop");
                        return CompletableFuture.failedFuture(new IllegalStateException("stop"));
                    }
                },
                test.system()));
        test.persist("starts|a", "1");
        await().untilAsserted(() -> assertThat(notes).contains("1"));
        test.stop(running);
        assertThat(notes).containsExactly("start", "stop", "start", "stop", "start", "1", "stop");
    }

    @Test
    void supplier_thatFails_isAskedAgain() {
        AtomicInteger asked = new AtomicInteger();
        List<String> processed = new CopyOnWriteArrayList<>();
        var projection = DynamoDBProjection.atLeastOnce(
                id("supplier"),
                Optional.empty(),
                source("supplier"),
                () -> switch (asked.incrementAndGet()) {
                    case 2 -> throw new IllegalStateException("supplier");
                    case 3 -> null;
                    default ->
                        Handler.<EventEnvelope<String>>fromFunction(envelope -> {
                            processed.add(envelope.getEvent());
                            if (asked.get() == 1) {
                                throw new IllegalStateException("first");
                            }
                            return done();
                        });
                },
                test.system());
        ActorRef<ProjectionBehavior.Command> running = test.start(projection);
        test.persist("supplier|a", "1");
        await().untilAsserted(() -> assertThat(processed).containsExactly("1", "1"));
        test.stop(running);
        assertThat(asked).hasValue(4);
    }

    /** Ways in which a handler breaks its contract. */
    enum Broken {
        RETURNS_NULL("returned null instead of a CompletionStage for event 1 of"),
        COMPLETES_WITH_NULL("was completed with null for event 1 of"),
        RETURNS_A_NULL_ITEM("a list with a null item for event 1 of"),
        THROWS("broken"),
        THROWS_AN_ERROR("broken"),
        FAILS("broken"),
        CHANGES_THE_OFFSET_TABLE("only the projection may change"),
        RETURNS_TOO_MUCH("returned 100 items for event 1 of");

        private final String message;

        Broken(String message) {
            this.message = message;
        }

        @SuppressWarnings("NullAway") // some break the contract
        CompletionStage<Collection<TransactWriteItem>> process() throws Exception {
            return switch (this) {
                case RETURNS_NULL -> null;
                case COMPLETES_WITH_NULL -> CompletableFuture.completedFuture(null);
                case RETURNS_A_NULL_ITEM ->
                    CompletableFuture.completedFuture(Arrays.asList(item(test.target(), "null item"), null));
                case THROWS -> throw new java.io.IOException("broken");
                case THROWS_AN_ERROR -> throw new AssertionError("broken");
                case FAILS ->
                    CompletableFuture.supplyAsync(() -> {
                        throw new IllegalStateException("broken");
                    });
                case CHANGES_THE_OFFSET_TABLE ->
                    CompletableFuture.completedFuture(List.of(item(test.offsets(), "mine")));
                case RETURNS_TOO_MUCH -> {
                    List<TransactWriteItem> items = new ArrayList<>();
                    for (int i = 0; i < 100; i++) {
                        items.add(item(test.target(), "item " + i));
                    }
                    yield CompletableFuture.completedFuture(items);
                }
            };
        }

        private static TransactWriteItem item(String table, String id) {
            return TransactWriteItem.builder()
                    .put(put -> put.tableName(table).item(Collections.singletonMap("id", AttributeValue.fromS(id))))
                    .build();
        }
    }

    @Test
    void handlerThatIsStoppedWhileItStarts_isStoppedAfterwards() {
        List<String> calls = new CopyOnWriteArrayList<>();
        CompletableFuture<Done> starting = new CompletableFuture<>();
        ActorRef<ProjectionBehavior.Command> running = test.start(DynamoDBProjection.atLeastOnce(
                id("slow-start"),
                Optional.empty(),
                source("slow-start"),
                () -> new Handler<EventEnvelope<String>>() {
                    @Override
                    public CompletionStage<Done> start() {
                        calls.add("start");
                        return starting.whenComplete((done, thrown) -> calls.add("started"));
                    }

                    @Override
                    public CompletionStage<Done> process(EventEnvelope<String> envelope) {
                        return CompletableFuture.completedFuture(Done.getInstance());
                    }

                    @Override
                    public CompletionStage<Done> stop() {
                        calls.add("stop");
                        return CompletableFuture.completedFuture(Done.getInstance());
                    }
                },
                test.system()));
        await().untilAsserted(() -> assertThat(calls).containsExactly("start"));
        running.tell(ProjectionBehavior.stopMessage());
        await().during(Duration.ofMillis(200))
                .untilAsserted(() -> assertThat(calls).containsExactly("start"));
        starting.complete(Done.getInstance());
        test.kit().createTestProbe().expectTerminated(running, TestSystem.PATIENCE);
        assertThat(calls).containsExactly("start", "started", "stop");
    }

    @ParameterizedTest
    @EnumSource
    void brokenTransactHandler_meetsTheRecoveryStrategy_andNothingIsStored(Broken broken) {
        String name = "broken-" + broken;
        AtomicBoolean repaired = new AtomicBoolean();
        Watcher watcher = new Watcher();
        ActorRef<ProjectionBehavior.Command> running = test.start(DynamoDBProjection.exactlyOnce(
                        id(name),
                        Optional.empty(),
                        source(name),
                        () -> new DynamoDBTransactHandler<EventEnvelope<String>>() {
                            @Override
                            public CompletionStage<Collection<TransactWriteItem>> process(
                                    EventEnvelope<String> envelope) throws Exception {
                                return repaired.get() ? CompletableFuture.completedFuture(List.of()) : broken.process();
                            }
                        },
                        test.system())
                .withRecoveryStrategy(HandlerRecoveryStrategy.retryAndFail(1000, Duration.ofMillis(10)))
                .withStatusObserver(watcher));
        test.persist(name + "|a", "1");
        await().untilAsserted(() ->
                assertThat(watcher.errors()).isNotEmpty().allMatch(error -> error.contains(broken.message)));
        assertThat(test.stored(name, name + "|a")).isZero();

        repaired.set(true);
        await().untilAsserted(() -> assertThat(test.stored(name, name + "|a")).isEqualTo(1));
        test.stop(running);
    }

    @ParameterizedTest
    @EnumSource(names = {"RETURNS_NULL", "COMPLETES_WITH_NULL", "THROWS"})
    void brokenHandler_meetsTheRecoveryStrategy(Broken broken) {
        String name = "plain-" + broken;
        Watcher watcher = new Watcher();
        ActorRef<ProjectionBehavior.Command> running = test.start(DynamoDBProjection.atLeastOnce(
                        id(name),
                        Optional.empty(),
                        source(name),
                        () -> new Handler<EventEnvelope<String>>() {
                            @Override
                            @SuppressWarnings("NullAway") // some break the contract
                            public CompletionStage<Done> process(EventEnvelope<String> envelope) throws Exception {
                                CompletionStage<Collection<TransactWriteItem>> stage = broken.process();
                                return stage == null ? null : stage.thenApply(ignored -> null);
                            }
                        },
                        test.system())
                .withRecoveryStrategy(HandlerRecoveryStrategy.skip())
                .withStatusObserver(watcher));
        test.persist(name + "|a", "1");
        await().untilAsserted(() -> assertThat(test.stored(name, name + "|a")).isEqualTo(1));
        test.stop(running);
        assertThat(watcher.errors()).singleElement().asString().contains(broken.message);
    }

    @Test
    void fromFunction_makesATransactHandler_forGroupsToo() {
        List<Integer> sizes = new CopyOnWriteArrayList<>();
        ActorRef<ProjectionBehavior.Command> running = test.start(DynamoDBProjection.exactlyOnceGroupedWithin(
                        id("function"),
                        Optional.empty(),
                        source("function"),
                        () -> DynamoDBTransactHandler.<List<EventEnvelope<String>>>fromFunction(group -> {
                            sizes.add(group.size());
                            return CompletableFuture.completedFuture(List.of());
                        }),
                        test.system())
                .withGroup(2, Duration.ofHours(1)));
        test.persist("function|a", "1", "2", "3", "4");
        await().untilAsserted(
                        () -> assertThat(test.stored("function", "function|a")).isEqualTo(4));
        test.stop(running);
        assertThat(sizes).containsExactly(2, 2);
    }

    /** A message to the actor of a handler. */
    record Note(String event, ActorRef<Done> replyTo) {}

    private static final class Delegating extends ActorHandler<EventEnvelope<String>, Note> {
        Delegating(List<String> heard) {
            super(Behaviors.setup(context -> {
                heard.add("actor started");
                return Behaviors.receive(Note.class)
                        .onMessage(Note.class, note -> {
                            heard.add(note.event());
                            note.replyTo().tell(Done.getInstance());
                            return Behaviors.same();
                        })
                        .onSignal(PostStop.class, stopped -> {
                            heard.add("actor stopped");
                            return Behaviors.same();
                        })
                        .build();
            }));
        }

        @Override
        @SuppressWarnings("NullAway") // breaks the contract
        public CompletionStage<Done> process(ActorRef<Note> actor, EventEnvelope<String> envelope) {
            CompletionStage<Done> asked = AskPattern.ask(
                    actor,
                    replyTo -> new Note(envelope.getEvent(), replyTo),
                    Duration.ofSeconds(10),
                    test.system().scheduler());
            return envelope.getEvent().equals("null") ? null : asked;
        }
    }

    @Test
    void actorHandler_keepsItsActorThroughRestarts() {
        List<String> heard = new CopyOnWriteArrayList<>();
        AtomicInteger handlers = new AtomicInteger();
        Watcher watcher = new Watcher();
        ActorRef<ProjectionBehavior.Command> running = test.start(DynamoDBProjection.atLeastOnce(
                        id("actor"),
                        Optional.empty(),
                        source("actor"),
                        () -> {
                            handlers.incrementAndGet();
                            return new Delegating(heard);
                        },
                        test.system())
                .withRecoveryStrategy(HandlerRecoveryStrategy.retryAndFail(1, Duration.ofMillis(1)))
                .withStatusObserver(watcher));
        test.persist("actor|a", "1", "null");
        await().untilAsserted(() -> assertThat(heard).filteredOn("null"::equals).hasSizeGreaterThan(3));
        test.stop(running);

        await().untilAsserted(() -> assertThat(heard).endsWith("actor stopped"));
        assertThat(heard)
                .filteredOn(note -> note.startsWith("actor"))
                .containsExactly("actor started", "actor stopped");
        assertThat(handlers.get()).isGreaterThan(1);
        assertThat(watcher.errors()).allMatch(error -> error.contains("returned null instead of a CompletionStage"));
    }

    @Test
    void statefulHandler_loadsItsStateAgainAfterAFailure() {
        List<String> states = new CopyOnWriteArrayList<>();
        ActorRef<ProjectionBehavior.Command> running = test.start(DynamoDBProjection.atLeastOnce(
                        id("stateful"),
                        Optional.empty(),
                        source("stateful"),
                        () -> new StatefulHandler<Integer, EventEnvelope<String>>() {
                            @Override
                            public CompletionStage<Integer> initialState() {
                                return CompletableFuture.completedFuture(10);
                            }

                            @Override
                            public CompletionStage<Integer> process(Integer state, EventEnvelope<String> envelope) {
                                if (envelope.getEvent().equals("fail")) {
                                    throw new IllegalStateException("fail");
                                }
                                states.add(envelope.getEvent() + state);
                                return CompletableFuture.completedFuture(state + 1);
                            }
                        },
                        test.system())
                .withRecoveryStrategy(HandlerRecoveryStrategy.skip()));
        test.persist("stateful|a", "a", "b", "fail", "c", "d");
        await().untilAsserted(() -> assertThat(states).containsExactly("a10", "b11", "c10", "d11"));
        test.stop(running);
    }
}
