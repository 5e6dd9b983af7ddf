package io.varve.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.varve.persistence.query.EventMetadata;
import io.varve.projection.Recorder.Kind;
import io.varve.projection.internal.event.AdaptedEvent;
import io.varve.projection.internal.event.EntityEvents;
import io.varve.projection.javadsl.DynamoDBProjection;
import io.varve.projection.javadsl.DynamoDBSourceProvider;
import io.varve.store.Slices;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.persistence.journal.EventSeq;
import org.apache.pekko.persistence.journal.ReadEventAdapter;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.HandlerRecoveryStrategy;
import org.apache.pekko.projection.ProjectionBehavior;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.StatusObserver;
import org.apache.pekko.projection.eventsourced.javadsl.EventSourcedProvider;
import org.apache.pekko.projection.javadsl.SourceProvider;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import scala.Option;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** Events of which an event adapter makes none, or several, when they are read. */
class EventAdapterTest {
    private static TestSystem test;

    @BeforeAll
    static void start() {
        test = new TestSystem("""
                dynamodb-journal {
                  event-adapters { dividing = "%s" }
                  event-adapter-bindings { "java.lang.String" = dividing }
                }
                """.formatted(Dividing.class.getName()));
    }

    @AfterAll
    static void stop() {
        test.close();
    }

    /** Drops some events, and makes an event of each word of the others. */
    public static final class Dividing implements ReadEventAdapter {
        @Override
        public EventSeq fromJournal(Object event, String manifest) {
            return event.equals("dropped")
                    ? EventSeq.empty()
                    : EventSeq.create((Object[]) event.toString().split(" "));
        }
    }

    private static SourceProvider<Offset, EventEnvelope<String>> pekkos(String name) {
        return EventSourcedProvider.eventsBySlices(test.system(), "dynamodb-read-journal", name, 0, 1023);
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

        ActorRef<ProjectionBehavior.Command> again =
                test.start(recorder.projection(kind, ProjectionId.of(name, "0-1023"), pekkos(name)));
        test.persist(name + "|a", "3");
        test.persist(name + "|b", "dropped", "1");
        await().untilAsserted(() -> assertThat(recorder.applied(name + "|a")).containsExactly("1", "2", "3"));
        await().untilAsserted(() -> assertThat(recorder.applied(name + "|b")).containsExactly("1"));
        await().untilAsserted(() -> assertThat(test.stored(name, name + "|a")).isEqualTo(7));
        test.stop(again);
    }

    @ParameterizedTest
    @EnumSource
    void droppedEventsAtTheEnd_moveThePlaceOfTheSlice(Kind kind) {
        String name = "dropped-at-the-end-" + kind;
        Recorder recorder = new Recorder(test);
        test.persist(name + "|a", "1", "dropped", "dropped");
        ActorRef<ProjectionBehavior.Command> projection = test.start(recorder.projection(kind, name));
        await().untilAsserted(() -> assertThat(seen(name, name + "|a")).isEqualTo("3"));
        test.stop(projection);
        assertThat(recorder.attempts()).containsExactly("1");
        assertThat(test.stored(name, name + "|a"))
                .as("the next start need not look for them")
                .isEqualTo(3);
    }

    /** The number of an entity's event at the place of its slice. */
    private static String seen(String name, String persistenceId) {
        Map<String, AttributeValue> row = test.client()
                .getItem(get -> get.tableName(test.offsets())
                        .consistentRead(true)
                        .key(Map.of(
                                "name_slice", AttributeValue.fromS(name + "-" + Slices.of(persistenceId)),
                                "pid", AttributeValue.fromS("_"))))
                .join()
                .item();
        AttributeValue seen = row.get("seen");
        return seen == null || !seen.m().containsKey(persistenceId)
                ? "nothing"
                : seen.m().get(persistenceId).n();
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"EXACTLY_ONCE", "GROUP_COMMIT"},
            mode = EnumSource.Mode.EXCLUDE)
    void severalEventsOfOne_areAllProcessed_fromBothSources(Kind kind) {
        String name = "several-" + kind;
        Recorder recorder = new Recorder(test);
        test.persist(name + "|a", "1 2 3", "4", "5 6");
        ActorRef<ProjectionBehavior.Command> projection =
                test.start(recorder.projection(kind, name).withGroup(2, Duration.ofMillis(50)));
        await().untilAsserted(
                        () -> assertThat(recorder.applied(name + "|a")).containsExactly("1", "2", "3", "4", "5", "6"));
        await().untilAsserted(() -> assertThat(test.stored(name, name + "|a")).isEqualTo(3));
        test.stop(projection);

        ActorRef<ProjectionBehavior.Command> again =
                test.start(recorder.projection(kind, ProjectionId.of(name, "0-1023"), pekkos(name)));
        test.persist(name + "|a", "7 8");
        await().untilAsserted(() ->
                assertThat(recorder.applied(name + "|a")).containsExactly("1", "2", "3", "4", "5", "6", "7", "8"));
        test.stop(again);
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"EXACTLY_ONCE", "GROUP_COMMIT"},
            mode = EnumSource.Mode.EXCLUDE)
    void severalEventsOfOne_ofWhichALaterFails_areProcessedAgainTogether(Kind kind) {
        String name = "several-failing-" + kind;
        Set<String> failed = ConcurrentHashMap.newKeySet();
        Recorder recorder = new Recorder(test, envelope -> {
            if (envelope.getEvent().equals("2") && failed.add("2")) {
                throw new IllegalStateException("once");
            }
            return Recorder.done();
        });
        test.persist(name + "|a", "1 2 3", "4");
        ActorRef<ProjectionBehavior.Command> projection = test.start(recorder.projection(kind, name));
        List<String> expected = kind.isExactlyOnce() || kind.isGrouped()
                ? List.of("1", "2", "3", "4")
                : List.of("1", "1", "2", "3", "4");
        await().untilAsserted(() -> assertThat(recorder.applied(name + "|a")).isEqualTo(expected));
        assertThat(recorder.attempts()).startsWith("1", "2", "1", "2", "3");
        test.stop(projection);
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"EXACTLY_ONCE", "GROUP_COMMIT", "FLOW"},
            mode = EnumSource.Mode.EXCLUDE)
    void severalEventsOfOne_areSkippedTogether(Kind kind) {
        String name = "several-skipped-" + kind;
        Recorder recorder = new Recorder(test, envelope -> {
            if (envelope.getEvent().equals("poison")) {
                throw new IllegalStateException("always");
            }
            return Recorder.done();
        });
        test.persist(name + "|a", "1 poison 2");
        ActorRef<ProjectionBehavior.Command> projection =
                test.start(recorder.projection(kind, name).withRecoveryStrategy(HandlerRecoveryStrategy.skip()));
        await().untilAsserted(() -> assertThat(recorder.attempts()).contains("poison"));
        test.persist(name + "|a", "3 4");
        await().untilAsserted(() -> assertThat(recorder.applied(name + "|a")).endsWith("3", "4"));
        await().untilAsserted(() -> assertThat(test.stored(name, name + "|a")).isEqualTo(2));
        test.stop(projection);
        assertThat(recorder.applied(name + "|a")).doesNotContain("2");
    }

    /** Stores each word as an item, once; or all of them into one. */
    private static final class Words extends DynamoDBTransactHandler<EventEnvelope<String>> {
        private final String projection;
        private final Set<String> failing = ConcurrentHashMap.newKeySet();
        private final boolean intoOne;

        Words(String projection, boolean intoOne) {
            this.projection = projection;
            this.intoOne = intoOne;
        }

        @Override
        public CompletionStage<Collection<TransactWriteItem>> process(EventEnvelope<String> envelope) {
            String word = envelope.getEvent();
            if (failing.remove(word)) {
                throw new IllegalStateException("once");
            }
            return CompletableFuture.completedFuture(List.of(TransactWriteItem.builder()
                    .put(put -> put.tableName(test.target())
                            .item(Map.of("id", AttributeValue.fromS(projection + (intoOne ? "" : word))))
                            .conditionExpression(intoOne ? null : "attribute_not_exists(id)"))
                    .build()));
        }

        ActorRef<ProjectionBehavior.Command> run(StatusObserver<EventEnvelope<String>> observer) {
            return test.start(DynamoDBProjection.exactlyOnce(
                            ProjectionId.of(projection, "all"),
                            Optional.empty(),
                            DynamoDBSourceProvider.<String>eventsBySlices(test.system(), projection, 0, 1023),
                            () -> this,
                            test.system())
                    .withStatusObserver(observer));
        }

        boolean isStored(String word) {
            return test.client()
                    .getItem(get -> get.tableName(test.target())
                            .consistentRead(true)
                            .key(Map.of("id", AttributeValue.fromS(projection + word))))
                    .join()
                    .hasItem();
        }
    }

    @Test
    void severalEventsOfOne_areStoredInOneTransaction() {
        Words words = new Words("several-once", false);
        words.failing.add("2");
        test.persist("several-once|a", "1 2 3", "4");
        Watcher watcher = new Watcher();
        ActorRef<ProjectionBehavior.Command> projection = words.run(watcher);
        await().untilAsserted(() -> assertThat(List.of("1", "2", "3", "4")).allMatch(words::isStored, "is stored"));
        await().untilAsserted(() ->
                assertThat(test.stored("several-once", "several-once|a")).isEqualTo(2));
        test.stop(projection);
        assertThat(watcher.failures()).hasSize(1);
    }

    @Test
    void severalEventsOfOne_thatChangeOneItemTwice_areRefusedInWords() {
        Words words = new Words("several-into-one", true);
        test.persist("several-into-one|a", "1 2");
        Watcher watcher = new Watcher();
        ActorRef<ProjectionBehavior.Command> projection = words.run(watcher);
        await().untilAsserted(() -> assertThat(watcher.failures()).isNotEmpty());
        test.stop(projection);
        assertThat(watcher.failures().get(0))
                .contains("The 2 items that the handler returned for event 1 of 'several-into-one|a' cannot be stored");
        assertThat(words.isStored("")).isFalse();
    }

    @Test
    void severalEventsOfOne_thatTheIndexDoesNotShow_areReadFromTheJournal() {
        String id = "several-missing|a";
        test.persist(id, "1 2", "dropped", "3 4", "5");
        EntityEvents<EventEnvelope<String>> journal =
                EntityEvents.of(DynamoDBSourceProvider.eventsBySlices(test.system(), "several-missing", 0, 1023));
        assertThat(TestBench.await(journal.events(id, 1, 4)
                        .via(AdaptedEvent.assembling())
                        .map(event -> event.position().sequenceNumber() + ": "
                                + event.envelopes().stream()
                                        .map(EventEnvelope::getEvent)
                                        .toList())
                        .runWith(Sink.seq(), test.system())))
                .containsExactly("1: [1, 2]", "3: [3, 4]", "4: [5]");
        EntityEvents<EventEnvelope<String>> oneByOne = EntityEvents.of(pekkos("several-missing"));
        assertThat(TestBench.await(oneByOne.events(id, 2, 2).runWith(Sink.seq(), test.system())))
                .isEmpty();
        assertThatThrownBy(() -> TestBench.await(oneByOne.events(id, 1, 4).runWith(Sink.seq(), test.system())))
                .hasMessageContaining("An event adapter makes several events of event")
                .hasMessageContaining("use DynamoDBSourceProvider.eventsBySlices");
    }

    @Test
    void envelopesOfAnEventOfWhichOneWasTakenAway_areStillPutTogether() {
        List<EventEnvelope<String>> envelopes = List.of(
                part("a", 1, 1, 3), part("a", 1, 2, 3), part("a", 2, 2, 2), part("a", 3, 1, 2), part("b", 4, 0, 0));
        assertThat(TestBench.await(Source.from(envelopes)
                        .via(AdaptedEvent.assembling())
                        .map(event -> event.position().sequenceNumber() + ": "
                                + event.envelopes().size())
                        .runWith(Sink.seq(), test.system())))
                .containsExactly("1: 2", "2: 1", "3: 1", "4: 0");
    }

    private static EventEnvelope<String> part(String persistenceId, long number, int part, int parts) {
        EventEnvelope<String> event = TestEvents.event(persistenceId, number);
        return new EventEnvelope<>(
                event.offset(),
                persistenceId,
                number,
                event.eventOption(),
                event.timestamp(),
                Option.apply(new EventMetadata(Optional.empty(), Set.of(), part, parts)),
                event.entityType(),
                event.slice());
    }
}
