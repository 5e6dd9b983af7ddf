package io.varve.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.varve.projection.Recorder.Kind;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.persistence.journal.EventSeq;
import org.apache.pekko.persistence.journal.ReadEventAdapter;
import org.apache.pekko.projection.ProjectionBehavior;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.eventsourced.javadsl.EventSourcedProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Events that an event adapter drops when they are read. */
class EventAdapterTest {
    private static TestSystem test;

    @BeforeAll
    static void start() {
        test = new TestSystem("""
                dynamodb-journal {
                  event-adapters { dropping = "%s" }
                  event-adapter-bindings { "java.lang.String" = dropping }
                }
                """.formatted(Dropping.class.getName()));
    }

    @AfterAll
    static void stop() {
        test.close();
    }

    /** Drops some events. */
    public static final class Dropping implements ReadEventAdapter {
        @Override
        public EventSeq fromJournal(Object event, String manifest) {
            return event.equals("dropped") ? EventSeq.empty() : EventSeq.single(event);
        }
    }

    @ParameterizedTest
    @EnumSource
    void droppedEvents_doNotReachTheHandler_andDoNotHoldUpTheNext(Kind kind) {
        String name = "dropped-" + kind;
        Recorder recorder = new Recorder(test);
        test.persist(name + "|a", "dropped", "1", "dropped", "dropped", "2");
        ActorRef<ProjectionBehavior.Command> projection = test.start(recorder.projection(kind, name));
        await().untilAsserted(() -> assertThat(recorder.applied(name + "|a")).containsExactly("1", "2"));
        test.persist(name + "|a", "dropped");
        test.persist(name + "|b", "dropped");
        test.stop(projection);

        ActorRef<ProjectionBehavior.Command> again = test.start(recorder.projection(
                kind,
                ProjectionId.of(name, "0-1023"),
                EventSourcedProvider.eventsBySlices(test.system(), "dynamodb-read-journal", name, 0, 1023)));
        test.persist(name + "|a", "3");
        test.persist(name + "|b", "dropped", "1");
        await().untilAsserted(() -> assertThat(recorder.applied(name + "|a")).containsExactly("1", "2", "3"));
        await().untilAsserted(() -> assertThat(recorder.applied(name + "|b")).containsExactly("1"));
        await().untilAsserted(() -> assertThat(test.stored(name, name + "|a")).isEqualTo(7));
        test.stop(again);
    }
}
