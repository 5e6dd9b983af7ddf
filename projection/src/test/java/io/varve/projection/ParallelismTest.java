package io.varve.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.varve.projection.Recorder.Kind;
import io.varve.projection.javadsl.DynamoDBSourceProvider;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.projection.HandlerRecoveryStrategy;
import org.apache.pekko.projection.ProjectionBehavior;
import org.apache.pekko.projection.ProjectionId;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Entities in parallel, with a transaction for each event. */
class ParallelismTest {
    private static TestSystem test;

    @BeforeAll
    static void start() {
        test = new TestSystem("pekko.projection.dynamodb.exactly-once.parallelism = 8");
    }

    @AfterAll
    static void stop() {
        test.close();
    }

    /** One gate for each event that is processed. */
    private static final class Gates {
        private final Map<String, CompletableFuture<Done>> gates = new ConcurrentHashMap<>();

        CompletableFuture<Done> at(String event) {
            return gates.computeIfAbsent(event, ignored -> new CompletableFuture<>());
        }

        void open(String event) {
            at(event).complete(Done.getInstance());
        }
    }

    @Test
    void entities_runAtTheSameTime_theEventsOfOneInOrder() {
        Gates gates = new Gates();
        Recorder recorder = new Recorder(test, envelope -> gates.at(envelope.getEvent()));
        test.persist("gates|a", "a1", "a2");
        test.persist("gates|b", "b1", "b2");
        test.persist("gates|c", "c1");
        ActorRef<ProjectionBehavior.Command> projection = test.start(recorder.projection(Kind.EXACTLY_ONCE, "gates"));

        await().untilAsserted(() -> assertThat(recorder.attempts()).containsExactlyInAnyOrder("a1", "b1", "c1"));
        gates.open("b1");
        await().untilAsserted(() -> assertThat(recorder.attempts()).containsExactlyInAnyOrder("a1", "b1", "c1", "b2"));
        assertThat(recorder.applied("gates|b")).containsExactly("b1");
        assertThat(recorder.applied("gates|a")).isEmpty();
        List.of("a1", "a2", "b2", "c1").forEach(gates::open);

        await().untilAsserted(() -> assertThat(recorder.applied("gates|a")).containsExactly("a1", "a2"));
        await().untilAsserted(() -> assertThat(recorder.applied("gates|b")).containsExactly("b1", "b2"));
        await().untilAsserted(() -> assertThat(recorder.applied("gates|c")).containsExactly("c1"));
        test.stop(projection);
    }

    @Test
    void failureOfOne_restartsAll_withoutLossOrDuplicate() {
        AtomicInteger failures = new AtomicInteger();
        Recorder recorder = new Recorder(test, envelope -> {
            if (envelope.getEvent().equals("3") && failures.getAndIncrement() < 3) {
                throw new IllegalStateException("third");
            }
            return Recorder.done();
        });
        for (int i = 0; i < 6; i++) {
            test.persistNumbers("failure|" + i, 1, 5);
        }
        ActorRef<ProjectionBehavior.Command> projection = test.start(recorder.projection(Kind.EXACTLY_ONCE, "failure"));
        for (int i = 0; i < 6; i++) {
            String id = "failure|" + i;
            await().untilAsserted(() -> assertThat(recorder.applied(id)).containsExactly("1", "2", "3", "4", "5"));
        }
        test.stop(projection);
    }

    @Test
    void restart_waitsForWhatIsUnderWay() {
        Gates gates = new Gates();
        AtomicBoolean failed = new AtomicBoolean();
        Recorder recorder = new Recorder(test, envelope -> switch (envelope.getEvent()) {
            case "slow" -> gates.at("slow");
            case "bad" ->
                failed.getAndSet(true)
                        ? Recorder.done()
                        : gates.at("bad").thenApply(done -> {
                            throw new IllegalStateException("bad");
                        });
            default -> Recorder.done();
        });
        test.persist("wait|slow", "slow", "next");
        test.persist("wait|bad", "bad");
        Watcher watcher = new Watcher();
        ActorRef<ProjectionBehavior.Command> projection =
                test.start(recorder.projection(Kind.EXACTLY_ONCE, "wait").withStatusObserver(watcher));
        await().untilAsserted(() -> assertThat(recorder.attempts()).containsExactlyInAnyOrder("slow", "bad"));

        gates.open("bad");
        await().untilAsserted(() -> assertThat(watcher.errors()).hasSize(1));
        assertThat(watcher.notes()).doesNotContain("failed");
        gates.open("slow");

        await().untilAsserted(() -> assertThat(recorder.applied("wait|bad")).containsExactly("bad"));
        await().untilAsserted(() -> assertThat(recorder.applied("wait|slow")).containsExactly("slow", "next"));
        test.stop(projection);
        assertThat(recorder.attempts()).filteredOn("slow"::equals).hasSize(1);
    }

    @Test
    void stop_waitsForWhatIsUnderWay_andBeginsNothing() {
        Gates gates = new Gates();
        Recorder recorder = new Recorder(test, envelope -> gates.at(envelope.getEvent()));
        test.persist("stop|a", "a1", "a2");
        ActorRef<ProjectionBehavior.Command> projection = test.start(recorder.projection(Kind.EXACTLY_ONCE, "stop"));
        await().untilAsserted(() -> assertThat(recorder.attempts()).containsExactly("a1"));

        projection.tell(ProjectionBehavior.stopMessage());
        gates.open("a1");
        gates.open("a2");
        test.kit().createTestProbe().expectTerminated(projection, TestSystem.PATIENCE);

        assertThat(recorder.applied("stop|a"))
                .hasSize((int) test.stored("stop", "stop|a"))
                .startsWith("a1");
    }

    @Test
    void parallelism_ofOne_callsTheHandlerForOneEventAtATime() {
        List<String> order = new CopyOnWriteArrayList<>();
        AtomicInteger open = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Recorder recorder = new Recorder(test, envelope -> {
            most.accumulateAndGet(open.incrementAndGet(), Math::max);
            return CompletableFuture.supplyAsync(() -> {
                order.add(envelope.getEvent());
                open.decrementAndGet();
                return Done.getInstance();
            });
        });
        test.persistNumbers("single|a", 1, 5);
        test.persistNumbers("single|b", 1, 5);
        ActorRef<ProjectionBehavior.Command> projection = test.start(recorder.projection(
                Kind.EXACTLY_ONCE,
                ProjectionId.of("single", "all"),
                Optional.of(DynamoDBProjectionSettings.create(test.system()).withParallelism(1)),
                DynamoDBSourceProvider.eventsBySlices(test.system(), "single", 0, 1023)));
        await().untilAsserted(() -> assertThat(order).hasSize(10));
        test.stop(projection);
        assertThat(most).hasValue(1);
    }

    @Test
    void poisonedEntity_doesNotHoldUpOthers_whenSkipping() {
        Recorder recorder = new Recorder(test, envelope -> {
            if (envelope.getEvent().equals("2")) {
                throw new IllegalStateException("poisoned");
            }
            return Recorder.done();
        });
        ActorRef<ProjectionBehavior.Command> projection = test.start(
                recorder.projection(Kind.EXACTLY_ONCE, "poison").withRecoveryStrategy(HandlerRecoveryStrategy.skip()));
        test.persistNumbers("poison|a", 1, 4);
        test.persist("poison|b", "x", "y");
        await().untilAsserted(() -> assertThat(recorder.applied("poison|a")).containsExactly("1", "3", "4"));
        await().untilAsserted(() -> assertThat(recorder.applied("poison|b")).containsExactly("x", "y"));
        test.stop(projection);
    }
}
