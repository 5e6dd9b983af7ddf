package io.varve.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.varve.projection.Recorder.Kind;
import java.util.Collections;
import java.util.stream.Stream;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.projection.ProjectionBehavior;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The recovery strategy of the configuration. */
class RecoverySettingsTest {
    private static Stream<Arguments> strategies() {
        return Stream.of(
                Arguments.of("strategy = skip", 1),
                Arguments.of("strategy = retry-and-skip, retries = 2, retry-delay = 1 ms", 3));
    }

    @ParameterizedTest
    @MethodSource("strategies")
    void strategyOfTheConfiguration_isUsedByAllDeliveryModes(String strategy, int attempts) {
        try (TestSystem test = new TestSystem(
                "pekko.projection { recovery-strategy { " + strategy + " }, grouped.group-after-envelopes = 1 }")) {
            for (Kind kind : Kind.values()) {
                if (kind != Kind.FLOW) {
                    assertSkipped(test, kind, attempts);
                }
            }
        }
    }

    private static void assertSkipped(TestSystem test, Kind kind, int attempts) {
        String name = "configured-" + kind;
        Recorder recorder = new Recorder(test, envelope -> {
            if (envelope.getEvent().equals("2")) {
                throw new IllegalStateException("poisoned");
            }
            return Recorder.done();
        });
        test.persist(name + "|a", "1", "2", "3");
        ActorRef<ProjectionBehavior.Command> projection = test.start(recorder.projection(kind, name));
        await().untilAsserted(() -> assertThat(recorder.applied(name + "|a")).containsExactly("1", "3"));
        test.stop(projection);
        assertThat(Collections.frequency(recorder.attempts(), "2")).isEqualTo(attempts);
        assertThat(test.stored(name, name + "|a")).isEqualTo(3);
    }
}
