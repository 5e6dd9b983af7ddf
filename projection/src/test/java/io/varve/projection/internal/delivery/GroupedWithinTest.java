package io.varve.projection.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.japi.Pair;
import org.apache.pekko.stream.javadsl.Keep;
import org.apache.pekko.stream.testkit.TestPublisher;
import org.apache.pekko.stream.testkit.TestSubscriber;
import org.apache.pekko.stream.testkit.javadsl.TestSink;
import org.apache.pekko.stream.testkit.javadsl.TestSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Groups that are full, or due. */
class GroupedWithinTest {
    private static final Duration NEVER = Duration.ofHours(1);
    private static ActorTestKit kit;

    @BeforeAll
    static void start() {
        kit = ActorTestKit.create("groups");
    }

    @AfterAll
    static void stop() {
        kit.shutdownTestKit();
    }

    /** What comes into a group, and out of it. */
    private record Ends(TestPublisher.Probe<Integer> in, TestSubscriber.Probe<List<Integer>> out) {
        void send(int... elements) {
            for (int element : elements) {
                in.sendNext(element);
            }
        }
    }

    private static Ends run(int size, Duration time) {
        Pair<TestPublisher.Probe<Integer>, TestSubscriber.Probe<List<Integer>>> probes = TestSource.<Integer>create(
                        kit.system().classicSystem())
                .via(GroupedWithin.<Integer>of(size, time))
                .toMat(TestSink.create(kit.system().classicSystem()), Keep.both())
                .run(kit.system());
        return new Ends(probes.first(), probes.second());
    }

    @Test
    void fullGroup_isEmittedAtOnce_alsoAfterBackPressure() {
        Ends ends = run(2, NEVER);
        ends.send(1, 2);
        ends.out().requestNext(List.of(1, 2));
        ends.send(3, 4);
        ends.send(5, 6, 7);
        ends.out().requestNext(List.of(3, 4));
        ends.out().requestNext(List.of(5, 6));
        ends.send(8);
        ends.out().requestNext(List.of(7, 8));
    }

    @Test
    void groupOfOne_isEmittedAtOnce_whateverTheTime() {
        for (Duration duration : List.of(NEVER, Duration.ZERO)) {
            Ends ends = run(1, duration);
            ends.send(1, 2, 3);
            ends.out().requestNext(List.of(1));
            ends.out().requestNext(List.of(2));
            ends.out().requestNext(List.of(3));
            ends.out().request(1);
            ends.send(4);
            ends.out().expectNext(List.of(4));
        }
    }

    @Test
    void groupThatIsDue_isEmitted_withWhatCameMeanwhile() {
        Ends ends = run(3, Duration.ofMillis(1));
        ends.out().request(1);
        ends.send(1);
        ends.out().expectNext(List.of(1));
        ends.send(2);
        ends.out().request(1);
        ends.out().expectNext(List.of(2));
    }

    @Test
    void nothing_isNotAGroup() {
        Ends ends = run(3, Duration.ofMillis(1));
        ends.out().request(1);
        ends.in().sendComplete();
        ends.out().expectComplete();
    }

    @Test
    void end_emitsWhatIsLeft() {
        Ends ends = run(3, NEVER);
        ends.send(1, 2);
        ends.in().sendComplete();
        ends.out().requestNext(List.of(1, 2));
        ends.out().expectComplete();

        ends = run(2, NEVER);
        ends.out().request(5);
        ends.send(1, 2, 3);
        ends.in().sendComplete();
        ends.out().expectNext(List.of(1, 2));
        ends.out().expectNext(List.of(3));
        ends.out().expectComplete();
    }

    @Test
    void failureAndCancellation_passThrough() {
        Ends ends = run(3, NEVER);
        ends.out().request(1);
        ends.send(1);
        ends.in().sendError(new IllegalStateException("upstream"));
        assertThat(ends.out().expectError()).hasMessage("upstream");

        ends = run(3, NEVER);
        ends.out().request(1);
        ends.out().cancel();
        ends.in().expectCancellation();
    }

    @Test
    void moreThanAGroup_isNotTakenIn_withoutDemand() {
        Ends ends = run(2, NEVER);
        ends.out().ensureSubscription();
        assertThat(ends.in().expectRequest()).isPositive();
        ends.send(1, 2, 3);
        ends.out().requestNext(List.of(1, 2));
        ends.in().sendComplete();
        ends.out().requestNext(List.of(3));
        ends.out().expectComplete();
    }
}
