package io.varve.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.varve.projection.Recorder.Kind;
import io.varve.projection.internal.pekko.PekkoProjection;
import io.varve.projection.javadsl.DynamoDBProjection;
import io.varve.projection.javadsl.DynamoDBSourceProvider;
import io.varve.store.Slices;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.ProjectionBehavior;
import org.apache.pekko.projection.ProjectionContext;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.eventsourced.javadsl.EventSourcedProvider;
import org.apache.pekko.projection.javadsl.SourceProvider;
import org.apache.pekko.stream.javadsl.FlowWithContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What all delivery modes have in common. */
class DeliveryModesTest {
    private static TestSystem test;

    @BeforeAll
    static void start() {
        test = new TestSystem("");
    }

    @AfterAll
    static void stop() {
        test.close();
    }

    private static Stream<Arguments> modesAndProviders() {
        return Stream.of(Kind.values()).flatMap(kind -> Stream.of(Arguments.of(kind, true), Arguments.of(kind, false)));
    }

    private static SourceProvider<Offset, EventEnvelope<String>> provider(String entityType, boolean own) {
        return own
                ? DynamoDBSourceProvider.eventsBySlices(test.system(), entityType, 0, 1023)
                : EventSourcedProvider.eventsBySlices(test.system(), "dynamodb-read-journal", entityType, 0, 1023);
    }

    @ParameterizedTest
    @MethodSource("modesAndProviders")
    void events_areProcessedInOrder_alsoAfterARestart(Kind kind, boolean own) {
        String name = "restart-" + kind + "-" + own;
        Recorder recorder = new Recorder(test);
        ActorRef<ProjectionBehavior.Command> projection =
                test.start(recorder.projection(kind, ProjectionId.of(name, "all"), provider(name, own)));
        for (int i = 1; i <= 3; i++) {
            test.persistNumbers(name + "|" + i, 1, 7);
        }
        for (int i = 1; i <= 3; i++) {
            String id = name + "|" + i;
            await().untilAsserted(
                            () -> assertThat(recorder.applied(id)).containsExactly("1", "2", "3", "4", "5", "6", "7"));
            await().untilAsserted(() -> assertThat(test.stored(name, id)).isEqualTo(7));
        }
        test.stop(projection);
        test.persistNumbers(name + "|1", 8, 9);

        ActorRef<ProjectionBehavior.Command> again =
                test.start(recorder.projection(kind, ProjectionId.of(name, "all"), provider(name, own)));
        test.persistNumbers(name + "|2", 8, 8);

        await().untilAsserted(() ->
                assertThat(recorder.applied(name + "|1")).containsExactly("1", "2", "3", "4", "5", "6", "7", "8", "9"));
        await().untilAsserted(() ->
                assertThat(recorder.applied(name + "|2")).containsExactly("1", "2", "3", "4", "5", "6", "7", "8"));
        test.stop(again);
        assertThat(recorder.applied(name + "|3")).hasSize(7);
    }

    @Test
    void flowThatFilters_doesNotHoldUpItsSlice() {
        List<String> processed = new CopyOnWriteArrayList<>();
        Map<Integer, Instant> places = new ConcurrentHashMap<>();
        ProgressObservers.get(test.system()).add((projection, slice, seen, stored) -> {
            if (projection.name().equals("filtering") && seen.equals(stored)) {
                places.put(slice, stored);
            }
        });
        test.persist("filtering|a", "1", "2", "3");
        ActorRef<ProjectionBehavior.Command> projection = test.start(DynamoDBProjection.atLeastOnceFlow(
                ProjectionId.of("filtering", "all"),
                Optional.empty(),
                DynamoDBSourceProvider.<String>eventsBySlices(test.system(), "filtering", 0, 1023),
                FlowWithContext.<EventEnvelope<String>, ProjectionContext>create()
                        .filter(envelope -> !envelope.getEvent().equals("2"))
                        .map(envelope -> {
                            processed.add(envelope.getEvent());
                            return Done.getInstance();
                        }),
                test.system()));
        await().untilAsserted(() -> assertThat(places).containsOnlyKeys(Slices.of("filtering|a")));
        test.stop(projection);
        assertThat(processed).containsExactly("1", "3");
        assertThat(test.stored("filtering", "filtering|a")).isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource
    void stop_storesWhatWasProcessed(Kind kind) {
        String name = "stop-" + kind;
        Recorder recorder = new Recorder(test);
        test.persistNumbers(name + "|1", 1, 30);
        PekkoProjection<EventEnvelope<String>> slow = recorder.projection(kind, name)
                .withSaveOffset(1000, java.time.Duration.ofHours(1))
                .withGroup(10, java.time.Duration.ofHours(1));
        ActorRef<ProjectionBehavior.Command> projection = test.start(slow);
        await().untilAsserted(() -> assertThat(recorder.applied(name + "|1")).hasSizeGreaterThanOrEqualTo(10));

        test.stop(projection);

        List<String> applied = recorder.applied(name + "|1");
        assertThat(test.stored(name, name + "|1")).isEqualTo(applied.size());
        ActorRef<ProjectionBehavior.Command> again = test.start(slow.withGroup(10, java.time.Duration.ofMillis(50)));
        await().untilAsserted(() -> assertThat(recorder.applied(name + "|1")).hasSize(30));
        test.stop(again);
        List<String> numbers = new ArrayList<>();
        for (int i = 1; i <= 30; i++) {
            numbers.add(Integer.toString(i));
        }
        assertThat(recorder.applied(name + "|1")).isEqualTo(numbers);
    }
}
