package io.varve.projection;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.projection.Recorder.Kind;
import io.varve.projection.javadsl.DynamoDBSourceProvider;
import io.varve.projection.javadsl.StoredProjection;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.ProjectionBehavior;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.javadsl.ProjectionManagement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A new version of a projection beside the old one, whatever its delivery mode. */
class RebuildTest {
    private static TestSystem test;

    @BeforeAll
    static void start() {
        test = new TestSystem("pekko.projection.dynamodb.replaced-projection.poll-interval = 20 ms");
    }

    @AfterAll
    static void stop() {
        test.close();
    }

    private static <T> T get(CompletionStage<T> stage) {
        return TestBench.await(stage);
    }

    private static ActorRef<ProjectionBehavior.Command> run(Recorder recorder, Kind kind, String name, String type) {
        return test.start(recorder.projection(
                kind,
                ProjectionId.of(name, "0-63"),
                DynamoDBSourceProvider.eventsBySlices(test.system(), type, 0, 63)));
    }

    private static String entity(String type, int slice) {
        return TestEvents.ofSlice(type, slice, 1).get(0);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void everyMailIsSentOnce_byTheOldProjectionUntilItIsPaused_byTheNewOneAfterwards(Kind kind) {
        String type = "mail" + kind.name().toLowerCase(Locale.ROOT);
        String first = type + "-1";
        String second = type + "-2";
        List<String> oldMails = new CopyOnWriteArrayList<>();
        List<String> newMails = new CopyOnWriteArrayList<>();
        String a = entity(type, 7);
        String b = entity(type, 30);
        ActorRef<ProjectionBehavior.Command> old =
                run(new Recorder(test, envelope -> mail(oldMails, envelope)), Kind.AT_LEAST_ONCE, first, type);
        test.persist(a, "a1", "a2");
        StoredProjection replaced = StoredProjection.of(test.system(), first, type);
        Recorder recorder = new Recorder(
                test,
                envelope -> replaced.hasProcessed(envelope)
                        .thenCompose(done -> done ? Recorder.done() : mail(newMails, envelope)));
        ActorRef<ProjectionBehavior.Command> beside = run(recorder, kind, second, type);
        test.persist(b, "b1");
        test.persist(a, "a3");
        StoredProjection rebuilt = StoredProjection.of(test.system(), second, type);
        get(rebuilt.whenCaughtUp(TestSystem.PATIENCE));
        assertThat(recorder.applied(a)).containsExactly("a1", "a2", "a3");
        assertThat(newMails).isEmpty();
        get(ProjectionManagement.get(test.system()).pause(ProjectionId.of(first, "0-63")));
        test.persist(a, "a4");
        test.persist(b, "b2");
        get(rebuilt.whenCaughtUp(TestSystem.PATIENCE));
        assertThat(oldMails).containsExactlyInAnyOrder("a1", "a2", "a3", "b1");
        assertThat(newMails).containsExactlyInAnyOrder("a4", "b2");
        assertThat(Stream.of(a, b).flatMap(id -> recorder.applied(id).stream()))
                .containsExactly("a1", "a2", "a3", "a4", "b1", "b2");
        test.stop(old);
        test.stop(beside);
        get(replaced.deleteProgress());
        assertThat(test.stored(first, a)).isZero();
        assertThat(test.stored(second, a)).isEqualTo(4);
    }

    private static CompletionStage<Done> mail(List<String> mails, EventEnvelope<String> envelope) {
        mails.add(envelope.getEvent());
        return Recorder.done();
    }
}
