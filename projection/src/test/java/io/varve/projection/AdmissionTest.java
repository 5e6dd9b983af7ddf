package io.varve.projection;

import static io.varve.projection.TestBench.await;
import static io.varve.projection.TestEvents.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.projection.internal.admission.Admission;
import io.varve.projection.internal.admission.LastProcessedEvents;
import io.varve.projection.internal.event.AdaptedEvent;
import io.varve.projection.internal.event.EntityEvents;
import io.varve.projection.internal.progress.InFlight;
import io.varve.projection.internal.progress.StreamProgress;
import io.varve.projection.internal.retry.OutageRetries;
import io.varve.projection.internal.stream.MissingEvents;
import io.varve.projection.javadsl.DynamoDBSourceProvider;
import io.varve.store.FailureKind;
import io.varve.store.Slices;
import io.varve.store.StoreException;
import io.varve.store.VarveException;
import io.varve.store.internal.layout.EventId;
import io.varve.store.internal.layout.Microseconds;
import io.varve.store.internal.offset.Advance;
import io.varve.store.internal.offset.LastProcessed;
import io.varve.store.internal.offset.OffsetTable;
import io.varve.store.internal.offset.SetOffsets;
import io.varve.store.internal.offset.SliceOffset;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.pekko.NotUsed;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** What becomes of an envelope, by what is stored of its entity: each row of the table in docs/design/projections.md. */
class AdmissionTest {
    private static final Duration TIME_TO_LIVE = Duration.ofMinutes(10);

    private static TestBench bench;

    private final String name = TestBench.freshName();
    private final TestEvents events = new TestEvents(0, 1023);
    private OffsetTable table;
    private StreamProgress progress = new StreamProgress(Duration.ofMinutes(5), 1_000, Optional.empty());
    private boolean replayMissing = true;
    private Optional<Duration> timeToLive = Optional.empty();
    private Instant now = Instant.EPOCH;

    @BeforeAll
    static void start() {
        bench = new TestBench();
    }

    @AfterAll
    static void stop() {
        bench.close();
    }

    @BeforeEach
    void open() {
        table = bench.table(name);
    }

    private void stored(String persistenceId, long number) {
        await(table.save(
                List.of(new LastProcessed(persistenceId, number, TestEvents.timestamp(number))), SetOffsets.NONE));
    }

    private void setByHand(String persistenceId, long timestamp) {
        int slice = Slices.of(persistenceId);
        progress.start(
                slice,
                slice,
                EntityEvents.Reads.UNKNOWN,
                new OffsetTable.Stored(
                        Map.of(slice, new SliceOffset(timestamp, Map.of(), timestamp)), false, SetOffsets.NONE));
    }

    /** Lets events in as a stream does. */
    private record LettingIn(Admission<EventEnvelope<String>> admission, MissingEvents<EventEnvelope<String>> missing) {
        CompletionStage<Source<InFlight<EventEnvelope<String>>, NotUsed>> admit(
                List<InFlight<EventEnvelope<String>>> events) {
            return admission.admit(events).thenApply(missing::before);
        }
    }

    private LettingIn admission() {
        return admission(events);
    }

    private LettingIn admission(EntityEvents<EventEnvelope<String>> journal) {
        OutageRetries outages = bench.outages(name);
        Admission<EventEnvelope<String>> admission = new Admission<>(
                ProjectionId.of(name, "0"),
                LastProcessedEvents.of(table),
                progress,
                journal,
                new Admission.Rules(replayMissing, timeToLive, () -> now),
                outages);
        return new LettingIn(admission, new MissingEvents<>(admission, journal, outages));
    }

    private static List<String> admitted(CompletionStage<Source<InFlight<EventEnvelope<String>>, NotUsed>> admitted) {
        return await(await(admitted).runWith(Sink.seq(), bench.system())).stream()
                .map(one ->
                        one.position().persistenceId() + " " + one.position().sequenceNumber())
                .toList();
    }

    @SafeVarargs
    private List<String> admit(EventEnvelope<String>... envelopes) {
        List<EventEnvelope<String>> group = new ArrayList<>();
        for (EventEnvelope<String> envelope : envelopes) {
            group.add(envelope);
        }
        return admitted(admission().admit(stored(group)));
    }

    private static List<InFlight<EventEnvelope<String>>> stored(List<EventEnvelope<String>> envelopes) {
        return await(Source.from(envelopes)
                .via(AdaptedEvent.<EventEnvelope<String>>assembling())
                .map(InFlight::new)
                .runWith(Sink.seq(), bench.system()));
    }

    @Test
    void duplicate_isDropped() {
        stored("a", 5);
        events.store("a", 1, 7);
        assertThat(admit(event("a", 4), event("a", 5), event("a", 6), event("a", 6), event("a", 5)))
                .containsExactly("a 6");
        assertThat(events.asked()).isEmpty();
    }

    @Test
    void eventsOfAParkedEntity_areLeftAlone_untilItsRowSaysOtherwise() {
        stored("a", 2);
        events.store("a", 1, 9);
        LastProcessed third = new LastProcessed("a", 3, TestEvents.timestamp(3));
        assertThat(await(table.parked().park(Advance.of(third), "poisoned", false, SetOffsets.NONE)))
                .isTrue();
        assertThat(admit(event("a", 2), event("a", 3), event("b", 1), event("a", 5)))
                .containsExactly("b 1");
        assertThat(events.asked()).isEmpty();
        assertThat(await(table.parked().retry("a", 3))).isTrue();
        assertThat(admit(event("a", 6))).containsExactly("a 3", "a 4", "a 5", "a 6");
        assertThat(admit(event("a", 4), event("a", 7))).containsExactly("a 7");
    }

    @Test
    void next_isAccepted_alsoWhenNothingIsKnown() {
        stored("a", 5);
        assertThat(admit(event("a", 6), event("b", 1), event("a", 7), event("b", 2)))
                .containsExactly("a 6", "b 1", "a 7", "b 2");
        assertThat(events.asked()).isEmpty();
    }

    @Test
    void gap_isFilledFromTheJournalInOrder() {
        stored("a", 2);
        events.store("a", 1, 9);
        assertThat(admit(event("b", 1), event("a", 6), event("b", 2), event("a", 5), event("a", 8)))
                .containsExactly("b 1", "a 3", "a 4", "a 5", "a 6", "b 2", "a 7", "a 8");
        assertThat(events.asked()).containsExactly("a 3..5", "a 7..7");
    }

    @Test
    void numbersThatTheJournalDoesNotHold_areNoGap() {
        stored("a", 2);
        events.store("a", 4, 4);
        assertThat(admit(event("a", 7), event("a", 8))).containsExactly("a 4", "a 7", "a 8");
    }

    @Test
    void gapInTheRealJournal_isFilled() {
        String id = "admission|real";
        bench.test().persistNumbers(id, 1, 120);
        removeEvent(id, 50);
        EntityEvents<EventEnvelope<String>> journal =
                EntityEvents.of(DynamoDBSourceProvider.<String>eventsBySlices(bench.system(), "admission", 0, 1023));
        stored(id, 2);
        LettingIn admission = admission(journal);
        List<String> expected = LongStream.rangeClosed(3, 120)
                .filter(number -> number != 50)
                .mapToObj(number -> id + " " + number)
                .toList();
        EventEnvelope<String> last = await(journal.events(id, 120, 120).runWith(Sink.head(), bench.system()));
        assertThat(admitted(admission.admit(stored(List.of(last))))).isEqualTo(expected);
    }

    private static void removeEvent(String persistenceId, long number) {
        bench.test()
                .client()
                .deleteItem(delete -> delete.tableName(bench.test().journal())
                        .key(Map.of(
                                "par", AttributeValue.fromS("journal-P-" + persistenceId + "-" + number / 100),
                                "num", AttributeValue.fromN(Long.toString(number % 100)))))
                .join();
    }

    @Test
    void nothingKnown_andThePredecessorsAreGone_isAccepted() {
        assertThat(admit(event("a", 7), event("a", 8))).containsExactly("a 7", "a 8");
        assertThat(events.asked()).containsExactly("a 6?", "a 1..6");
    }

    @Test
    void nothingKnown_andOnlyTheOneBeforeWasRejected_theOthersComeFirst() {
        events.store("a", 1, 3);
        assertThat(admit(event("a", 5))).containsExactly("a 1", "a 2", "a 3", "a 5");
    }

    @Test
    void nothingKnown_andThePredecessorIsGone_isAcceptedWithoutReadingEachNumberByItself() {
        events.withoutRanges();
        assertThat(admit(event("a", 1_000_000))).containsExactly("a 1000000");
        assertThat(events.asked()).containsExactly("a 999999?");
    }

    @Test
    void nothingKnown_everythingFromTheFirstIsReadBefore() {
        events.store("a", 1, 3);
        assertThat(admit(event("b", 1), event("a", 4), event("a", 5)))
                .containsExactly("b 1", "a 1", "a 2", "a 3", "a 4", "a 5");
        assertThat(events.asked()).containsExactly("a 3?", "a 1..3");
    }

    @Test
    void nothingKnown_andThePredecessorIsOlderThanTheTimeToLive_isAccepted() {
        timeToLive = Optional.of(TIME_TO_LIVE);
        now = Microseconds.toInstant(TestEvents.timestamp(3) + 1).plus(TIME_TO_LIVE);
        events.store("a", 1, 3);
        assertThat(admit(event("a", 4))).containsExactly("a 4");
        assertThat(events.asked()).containsExactly("a 3?");
    }

    @Test
    void nothingKnown_andOnlyEarlierOnesAreOlderThanTheTimeToLive_onlyTheYoungComeFirst() {
        timeToLive = Optional.of(TIME_TO_LIVE);
        now = Microseconds.toInstant(TestEvents.timestamp(3)).plus(TIME_TO_LIVE);
        events.store("a", 1, 4);
        assertThat(admit(event("a", 5))).containsExactly("a 3", "a 4", "a 5");
    }

    @Test
    void rowThatHasExpired_countsAsNothingKnown() {
        timeToLive = Optional.of(TIME_TO_LIVE);
        now = Instant.ofEpochSecond(1_000);
        table = bench.expiring(name, TIME_TO_LIVE, () -> now);
        stored("a", 3);
        now = now.plus(TIME_TO_LIVE);
        events.store("a", 1, 4);
        assertThat(admit(event("a", 5))).containsExactly("a 5");
        assertThat(events.asked()).containsExactly("a 4?");
    }

    @Test
    void offsetSetByHand_nothingKnownAndThePredecessorBeforeIt_isAccepted() {
        setByHand("a", TestEvents.timestamp(4));
        events.store("a", 1, 3);
        assertThat(admit(event("a", 4), event("a", 5))).containsExactly("a 4", "a 5");
        assertThat(events.asked()).containsExactly("a 3?");
    }

    @Test
    void offsetSetByHand_onlyWhatIsNotBeforeItComesFirst() {
        setByHand("a", TestEvents.timestamp(4));
        events.store("a", 1, 5);
        assertThat(admit(event("a", 6))).containsExactly("a 4", "a 5", "a 6");
    }

    @Test
    void offsetSetByHand_whatIsBeforeItCountsAsProcessed() {
        setByHand("a", TestEvents.timestamp(4));
        assertThat(admit(event("a", 1), event("a", 2), event("a", 3))).isEmpty();
        assertThat(events.asked()).isEmpty();
    }

    @Test
    void offsetSetForward_skipsWhatIsBetweenTheRowAndIt() {
        stored("a", 2);
        setByHand("a", TestEvents.timestamp(6));
        events.store("a", 1, 7);
        assertThat(admit(event("a", 6))).containsExactly("a 6");
        assertThat(events.asked()).containsExactly("a 5?");
    }

    @Test
    void offsetSetForward_andAGapAfterIt_isFilledFromThere() {
        stored("a", 2);
        setByHand("a", TestEvents.timestamp(6));
        events.store("a", 1, 8);
        assertThat(admit(event("a", 9))).containsExactly("a 6", "a 7", "a 8", "a 9");
    }

    @Test
    void numbersThatBeginAnew_areDuplicatesByDefault() {
        stored("a", 5);
        assertThat(admit(event("a", 1, 999_000_000), event("a", 2, 999_000_001)))
                .isEmpty();
    }

    @Test
    void numbersThatBeginAnew_theFirstReplacesTheRow() {
        progress = new StreamProgress(Duration.ofMinutes(5), 1_000, Optional.of(Duration.ofMinutes(1)));
        stored("a", 5);
        assertThat(admit(event("a", 1, 999_000_000), event("a", 2, 999_000_001)))
                .containsExactly("a 1", "a 2");
        assertThat(events.asked()).isEmpty();
    }

    @Test
    void numbersThatBeginAnew_andNotWithTheFirst_areReadFromTheFirstOn() {
        progress = new StreamProgress(Duration.ofMinutes(5), 1_000, Optional.of(Duration.ofMinutes(1)));
        stored("a", 5);
        LongStream.rangeClosed(1, 3).forEach(number -> events.store(event("a", number, 999_000_000 + number)));
        assertThat(admit(event("a", 4, 999_000_004), event("a", 5, 999_000_005)))
                .containsExactly("a 1", "a 2", "a 3", "a 4", "a 5");
    }

    @Test
    void withoutReplay_missingEventsAreAnError_whatTheJournalDoesNotHoldIsNot() {
        replayMissing = false;
        stored("a", 2);
        stored("hole", 2);
        stored("set", 2);
        setByHand("set", TestEvents.timestamp(6));
        events.store("a", 1, 5).store("set", 1, 7);
        assertThat(admit(event("hole", 4), event("set", 6), event("unknown", 9)))
                .containsExactly("hole 4", "set 6", "unknown 9");
        assertThatThrownBy(() -> admit(event("a", 5)))
                .isInstanceOf(VarveException.class)
                .hasMessageContaining("event 3 of 'a' and perhaps others are missing before event 5 of 'a'")
                .hasMessageContaining("replay-on-rejected-sequence-numbers = off");
    }

    @Test
    void withoutReplay_eventsThatAnAdapterDropsAreNotMissing() {
        replayMissing = false;
        stored("a", 4);
        events.storeDropped(event("a", 5));
        assertThat(admit(event("a", 6))).containsExactly("a 6");
    }

    @Test
    void gapOfThousands_isReadAsItIsProcessed() {
        stored("a", 1);
        List<AtomicLong> runs = new CopyOnWriteArrayList<>();
        EntityEvents<EventEnvelope<String>> journal = new EntityEvents<>() {
            @Override
            public Source<EventEnvelope<String>, NotUsed> events(String persistenceId, long from, long to) {
                return Source.fromIterator(() -> {
                    AtomicLong read = new AtomicLong();
                    runs.add(read);
                    return LongStream.rangeClosed(from, to)
                            .mapToObj(number -> {
                                read.incrementAndGet();
                                return event(persistenceId, number);
                            })
                            .iterator();
                });
            }

            @Override
            public CompletionStage<Map<EventId, Instant>> timestampsOf(Collection<EventId> events) {
                throw new AssertionError("not needed");
            }

            @Override
            public CompletionStage<Reads> reads() {
                return CompletableFuture.completedFuture(Reads.UNKNOWN);
            }
        };
        LettingIn admission = admission(journal);
        Source<InFlight<EventEnvelope<String>>, NotUsed> admitted =
                await(admission.admit(stored(List.of(event("a", 50_000)))));
        assertThat(runs).isEmpty();
        assertThat(await(admitted.take(10).runWith(Sink.seq(), bench.system()))).hasSize(10);
        assertThat(runs.get(0).get()).isLessThan(100);
        assertThat(await(admitted.runFold(0, (count, one) -> count + 1, bench.system())))
                .isEqualTo(49_999);
        assertThat(runs.get(1)).hasValue(49_998);
    }

    /** A journal that brings two events at a time, and then fails. */
    private EntityEvents<EventEnvelope<String>> failing(StoreException failure) {
        return new EntityEvents<>() {
            @Override
            public Source<EventEnvelope<String>, NotUsed> events(String persistenceId, long from, long to) {
                return events.events(persistenceId, from, to).map(event -> {
                    if (event.sequenceNr() > from + 1) {
                        throw failure;
                    }
                    return event;
                });
            }

            @Override
            public CompletionStage<Map<EventId, Instant>> timestampsOf(Collection<EventId> asked) {
                return events.timestampsOf(asked);
            }

            @Override
            public CompletionStage<Reads> reads() {
                return events.reads();
            }
        };
    }

    @Test
    void outageWhileAGapIsRead_isWaitedOut_andItGoesOnAfterTheLastEvent() {
        stored("a", 1);
        events.store("a", 1, 6);
        StoreException throttled = new StoreException("slow down", FailureKind.THROTTLED, false, false, null);
        try (WarningsOf warnings = new WarningsOf(OutageRetries.class)) {
            assertThat(admitted(admission(failing(throttled)).admit(stored(List.of(event("a", 7))))))
                    .containsExactly("a 2", "a 3", "a 4", "a 5", "a 6", "a 7");
            assertThat(warnings.messages()).singleElement().asString().contains("slow down");
        }
        assertThat(events.asked()).containsExactly("a 2..6", "a 4?", "a 4..6", "a 6?", "a 6..6");
    }

    @Test
    void whatCanNeverBeRead_failsTheStream() {
        stored("a", 1);
        events.store("a", 1, 6);
        StoreException invalid = new StoreException("no", FailureKind.REFUSED, false, true, null);
        assertThatThrownBy(() -> admitted(admission(failing(invalid)).admit(stored(List.of(event("a", 7))))))
                .isSameAs(invalid);
        assertThat(events.asked()).containsExactly("a 2..6");
    }

    @Test
    void entitiesOfAGroup_areLoadedByOneRequestAndOnce() {
        bench.proxy().requests().clear();
        LettingIn admission = admission();
        List<EventEnvelope<String>> group = IntStream.range(0, 90)
                .mapToObj(i -> event("e" + i % 45, i / 45 + 1))
                .toList();
        assertThat(admitted(admission.admit(stored(group)))).hasSize(90);
        assertThat(admitted(admission.admit(stored(List.of(event("e3", 3), event("e4", 3))))))
                .hasSize(2);
        assertThat(bench.proxy().requests().operations()).containsExactly("BatchGetItem(45)");
    }

    @Test
    void reservedPersistenceId_isAClearError() {
        assertThatThrownBy(() -> admit(event("_", 1)))
                .isInstanceOf(VarveException.class)
                .hasMessageContaining("The persistence id '_' cannot be projected");
    }
}
