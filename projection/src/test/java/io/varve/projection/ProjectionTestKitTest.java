package io.varve.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.projection.Recorder.Kind;
import io.varve.projection.javadsl.DynamoDBProjection;
import io.varve.projection.javadsl.DynamoDBSourceProvider;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.javadsl.ActorHandler;
import org.apache.pekko.projection.testkit.javadsl.ProjectionTestKit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Our projections in Pekko's testkit. */
class ProjectionTestKitTest {
    private static TestSystem test;
    private static ProjectionTestKit kit;

    @BeforeAll
    static void start() {
        test = new TestSystem("");
        kit = ProjectionTestKit.create(test.system());
    }

    @AfterAll
    static void stop() {
        test.close();
    }

    @ParameterizedTest
    @EnumSource
    void run_assertsWhileTheProjectionRuns(Kind kind) {
        String name = "run-" + kind;
        Recorder recorder = new Recorder(test);
        test.persist(name + "|a", "1", "2");
        kit.run(
                recorder.projection(kind, name),
                TestSystem.PATIENCE,
                () -> assertThat(recorder.applied(name + "|a")).containsExactly("1", "2"));
        assertThat(test.stored(name, name + "|a")).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void runWithTestSink_processesWhatIsRequested(Kind kind) {
        String name = "sink-" + kind;
        Recorder recorder = new Recorder(test);
        test.persist(name + "|a", "1", "2");
        kit.runWithTestSink(
                recorder.projection(kind, name)
                        .withGroup(1, Duration.ofHours(1))
                        .withSaveOffset(1, Duration.ofHours(1)),
                sink -> {
                    for (int i = 1; i <= 2; i++) {
                        sink.request(1);
                        sink.expectNext(
                                scala.jdk.javaapi.DurationConverters.toScala(TestSystem.PATIENCE), Done.getInstance());
                        assertThat(recorder.applied(name + "|a")).hasSizeGreaterThanOrEqualTo(i);
                    }
                });
    }

    @Test
    void run_ofAProjectionThatFails_fails() {
        Recorder recorder = new Recorder(test, envelope -> {
            throw new IllegalStateException("broken");
        });
        test.persist("failing|a", "1");
        assertThatThrownBy(() -> kit.run(
                        recorder.projection(Kind.AT_LEAST_ONCE, "failing"),
                        TestSystem.PATIENCE,
                        () -> assertThat(recorder.attempts()).isNotEmpty()))
                .hasMessageContaining("broken");
        assertThat(recorder.attempts()).hasSize(1);
    }

    @Test
    void actorHandler_worksToo() {
        CopyOnWriteArrayList<String> heard = new CopyOnWriteArrayList<>();
        test.persist("actors|a", "1");
        kit.run(
                DynamoDBProjection.atLeastOnce(
                        ProjectionId.of("actors", "all"),
                        Optional.empty(),
                        DynamoDBSourceProvider.<String>eventsBySlices(test.system(), "actors", 0, 1023),
                        () ->
                                new ActorHandler<EventEnvelope<String>, String>(Behaviors.receive(String.class)
                                        .onAnyMessage(event -> {
                                            heard.add(event);
                                            return Behaviors.same();
                                        })
                                        .build()) {
                                    @Override
                                    public CompletionStage<Done> process(
                                            ActorRef<String> actor, EventEnvelope<String> envelope) {
                                        actor.tell(envelope.getEvent());
                                        return Recorder.done();
                                    }
                                },
                        test.system()),
                TestSystem.PATIENCE,
                () -> assertThat(heard).containsExactly("1"));
    }
}
