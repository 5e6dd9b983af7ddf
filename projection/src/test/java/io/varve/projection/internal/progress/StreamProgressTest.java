package io.varve.projection.internal.progress;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.projection.TestEvents;
import io.varve.projection.internal.event.AdaptedEvent;
import io.varve.projection.internal.event.EntityEvents;
import io.varve.projection.internal.event.Position;
import io.varve.store.Slices;
import io.varve.store.internal.offset.LastProcessed;
import io.varve.store.internal.offset.OffsetTable;
import io.varve.store.internal.offset.SetOffsets;
import io.varve.store.internal.offset.SliceFloor;
import io.varve.store.internal.offset.SliceOffset;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is known of entities, and how far slices are complete. */
class StreamProgressTest {
    private static final long MINUTE = 60_000_000;

    private final StreamProgress progress = new StreamProgress(Duration.ofMinutes(5), 100, Optional.empty());

    private static Position position(String persistenceId, long number, long timestamp) {
        return new Position(persistenceId, number, timestamp, Slices.of(persistenceId));
    }

    private static EntityEvents.Reads reads(int perShard) {
        return new EntityEvents.Reads(Optional.empty(), OptionalInt.of(perShard), Duration.ofMinutes(2));
    }

    /** Starts with the slices from 0 to 15. */
    private static void start(StreamProgress progress, int perShard, Map<Integer, SliceOffset> places) {
        progress.start(0, 15, reads(perShard), new OffsetTable.Stored(places, false, SetOffsets.NONE));
    }

    /** Loads an entity and keeps it. */
    private static void know(StreamProgress progress, String persistenceId, long number, long timestamp) {
        assertThat(progress.hold(Set.of(persistenceId))).containsExactly(persistenceId);
        progress.loaded(
                Set.of(persistenceId),
                number == 0 ? Map.of() : Map.of(persistenceId, new LastProcessed(persistenceId, number, timestamp)),
                Set.of());
    }

    private static InFlight<?> begin(StreamProgress progress, Position position, long cause) {
        InFlight<?> event = new InFlight<>(new AdaptedEvent<>(position, List.of()), cause);
        progress.begin(event);
        return event;
    }

    /** Lets an event of an entity pass that may not be known. */
    private InFlight<?> admit(String persistenceId, long number, long timestamp) {
        return admit(progress, persistenceId, number, timestamp);
    }

    private static InFlight<?> admit(StreamProgress progress, String persistenceId, long number, long timestamp) {
        if (!progress.hold(Set.of(persistenceId)).isEmpty()) {
            progress.loaded(Set.of(persistenceId), Map.of(), Set.of());
        }
        Position position = position(persistenceId, number, timestamp);
        progress.admit(position);
        InFlight<?> event = begin(progress, position, position.timestamp());
        progress.release(Set.of(persistenceId));
        return event;
    }

    private boolean isKnown(String persistenceId) {
        boolean known = progress.hold(Set.of(persistenceId)).isEmpty();
        if (known) {
            progress.release(Set.of(persistenceId));
        } else {
            progress.loaded(Set.of(persistenceId), Map.of(), Set.of());
        }
        return known;
    }

    @Test
    void verdicts_byWhatWasProcessedLast() {
        know(progress, "a", 5, 50);
        know(progress, "new", 0, 0);
        assertThat(progress.judge(position("a", 4, 40))).isEqualTo(new Verdict.Duplicate());
        assertThat(progress.judge(position("a", 5, 50))).isEqualTo(new Verdict.Duplicate());
        assertThat(progress.judge(position("a", 6, 60))).isEqualTo(new Verdict.Next());
        assertThat(progress.judge(position("a", 8, 80))).isEqualTo(new Verdict.Gap(6));
        assertThat(progress.judge(position("new", 1, 10))).isEqualTo(new Verdict.Next());
        assertThat(progress.judge(position("new", 3, 30))).isEqualTo(new Verdict.Unknown(1));
    }

    @Test
    void verdicts_byWhatIsInFlight() {
        know(progress, "a", 5, 50);
        progress.admit(position("a", 6, 60));
        assertThat(progress.judge(position("a", 6, 60))).isEqualTo(new Verdict.Duplicate());
        assertThat(progress.judge(position("a", 7, 70))).isEqualTo(new Verdict.Next());
    }

    @Test
    void verdicts_whereTheOffsetWasSetByHand() {
        int slice = Slices.of("a");
        progress.start(
                slice,
                slice,
                EntityEvents.Reads.UNKNOWN,
                new OffsetTable.Stored(Map.of(slice, new SliceOffset(100, Map.of(), 100)), false, SetOffsets.NONE));
        know(progress, "a", 5, 50);
        assertThat(progress.judge(position("a", 6, 99))).as("before").isEqualTo(new Verdict.Duplicate());
        assertThat(progress.judge(position("a", 6, 100))).as("there").isEqualTo(new Verdict.Next());
        assertThat(progress.judge(position("a", 8, 120)))
                .as("6 and 7 may be before")
                .isEqualTo(new Verdict.Unknown(6));
        progress.admit(position("a", 8, 120));
        assertThat(progress.judge(position("a", 10, 140))).isEqualTo(new Verdict.Gap(9));
    }

    @Test
    void numbersThatBeginAnew_areAcceptedAfterTheTimeOnly() {
        StreamProgress resetting = new StreamProgress(Duration.ofMinutes(5), 100, Optional.of(Duration.ofMinutes(1)));
        for (StreamProgress each : List.of(resetting, progress)) {
            know(each, "a", 5, 50);
        }
        Verdict reset = new Verdict.Reset();
        assertThat(resetting.judge(position("a", 1, 50 + MINUTE))).isEqualTo(new Verdict.Duplicate());
        assertThat(resetting.judge(position("a", 1, 51 + MINUTE))).isEqualTo(reset);
        assertThat(resetting.judge(position("a", 5, 51 + MINUTE))).isEqualTo(reset);
        assertThat(progress.judge(position("a", 1, 51 + MINUTE))).as("off").isEqualTo(new Verdict.Duplicate());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void place_neverSkipsAnIncompleteEnvelope(long seed) {
        Random random = new Random(seed);
        List<String> ids = new ArrayList<>();
        IntStream.range(0, 3).forEach(slice -> ids.addAll(TestEvents.ofSlice(slice, 4)));
        List<Position> begun = new ArrayList<>();
        List<InFlight<?>> events = new ArrayList<>();
        Map<String, Long> numbers = new HashMap<>();
        long timestamp = 1;
        for (int i = 0; i < 40; i++) {
            String id = ids.get(random.nextInt(ids.size()));
            timestamp += random.nextInt(2); // often equal
            Position position = position(id, numbers.merge(id, 1L, Long::sum), timestamp);
            begun.add(position);
            events.add(admit(id, position.sequenceNumber(), timestamp));
        }
        List<Integer> order = new ArrayList<>(IntStream.range(0, 40).boxed().toList());
        Collections.shuffle(order, random);
        Map<Integer, SliceOffset> places = new HashMap<>();
        Set<Integer> complete = new HashSet<>();
        for (int index : order) {
            progress.complete(List.of(events.get(index)));
            complete.add(index);
            places.putAll(progress.takeChanged());
            assertThat(places).isEqualTo(expected(begun, complete));
        }
        assertThat(complete).hasSize(40);
    }

    /** By the rule: of each slice the completed beginning, its newest timestamp, and who was seen at that. */
    private static Map<Integer, SliceOffset> expected(List<Position> begun, Set<Integer> complete) {
        Map<Integer, List<Position>> beginnings = new HashMap<>();
        Set<Integer> interrupted = new HashSet<>();
        for (int i = 0; i < begun.size(); i++) {
            int slice = begun.get(i).slice();
            if (!complete.contains(i)) {
                interrupted.add(slice);
            } else if (!interrupted.contains(slice)) {
                beginnings.computeIfAbsent(slice, key -> new ArrayList<>()).add(begun.get(i));
            }
        }
        Map<Integer, SliceOffset> places = new HashMap<>();
        beginnings.forEach((slice, positions) -> {
            long newest =
                    positions.stream().mapToLong(Position::timestamp).max().orElseThrow();
            places.put(
                    slice,
                    new SliceOffset(
                            newest,
                            positions.stream()
                                    .filter(position -> position.timestamp() == newest)
                                    .collect(Collectors.toMap(
                                            Position::persistenceId, Position::sequenceNumber, Math::max)),
                            0));
        });
        return places;
    }

    @Test
    void placeOfASlice_saysNothingAboutItsNeighbours() {
        start(progress, 16, Map.of());
        admit(TestEvents.ofSlice(7, 1).get(0), 1, 50);
        InFlight<?> newer = admit(TestEvents.ofSlice(8, 1).get(0), 1, 100);
        progress.complete(List.of(newer));
        assertThat(progress.takeChanged()).containsOnlyKeys(8);
        assertThat(progress.places().get(7)).as("begins at its beginning").isEqualTo(SliceOffset.BEGINNING);
    }

    @Test
    void lateFirstEventOfASlice_takesItsPlaceBack_untilItIsComplete() {
        start(progress, 16, Map.of());
        String busy = TestEvents.ofSlice(8, 1).get(0);
        progress.complete(List.of(admit(busy, 1, MINUTE)));
        progress.complete(List.of(admit(busy, 2, 100 * MINUTE)));
        Map<Integer, SliceOffset> followed = progress.takeChanged();
        assertThat(followed.get(7)).isEqualTo(new SliceOffset(100 * MINUTE, Map.of(), 0));
        progress.stored(followed);
        InFlight<?> late = admit(TestEvents.ofSlice(7, 1).get(0), 1, 95 * MINUTE);
        assertThat(progress.takeLast())
                .as("the handler has failed")
                .containsExactly(Map.entry(7, new SliceOffset(95 * MINUTE, Map.of(), 0)));
        progress.complete(List.of(late));
        assertThat(progress.takeChanged()).containsExactly(Map.entry(7, new SliceOffset(100 * MINUTE, Map.of(), 0)));
    }

    @Test
    void floor_isBeforeTheNewestCompleteEventOfItsShard_andBeforeTheOldestThatIsNot() {
        start(progress, 16, Map.of());
        String busy = TestEvents.ofSlice(8, 1).get(0);
        progress.complete(List.of(admit(busy, 1, 50)));
        InFlight<?> slow = admit(TestEvents.ofSlice(7, 1).get(0), 1, 60);
        progress.complete(List.of(admit(busy, 2, 100)));
        assertThat(progress.takeChanged()).containsOnlyKeys(8);
        assertThat(progress.floors(Set.of(8))).as("one at 60 is open").isEqualTo(Map.of(8, new SliceFloor(58, 0, 15)));
        progress.complete(List.of(slow));
        progress.takeChanged();
        assertThat(progress.floors(Set.of(7)))
                .as("others at 100 may not have come yet")
                .isEqualTo(Map.of(7, new SliceFloor(99, 0, 15)));
    }

    @Test
    void floorThatRisesAlone_isStoredWithOneRow_andOnce() {
        start(progress, 16, Map.of());
        String busy = TestEvents.ofSlice(8, 1).get(0);
        InFlight<?> duplicate = new InFlight<>(
                new AdaptedEvent<>(position(TestEvents.ofSlice(7, 1).get(0), 1, 40), List.of()));
        progress.arrived(duplicate);
        progress.complete(List.of(admit(busy, 1, 100)));
        progress.stored(progress.takeChanged());
        assertThat(progress.floors(Set.of(8))).isEqualTo(Map.of(8, new SliceFloor(38, 0, 15)));
        progress.discard(duplicate);
        assertThat(progress.takeChanged()).containsOnlyKeys(8);
        assertThat(progress.floors(Set.of(8))).isEqualTo(Map.of(8, new SliceFloor(99, 0, 15)));
        assertThat(progress.takeChanged()).isEmpty();
    }

    @Test
    void lateEvents_doNotMoveAPlaceBack() {
        List<String> ids = TestEvents.ofSlice(7, 2);
        start(progress, 1, Map.of(7, new SliceOffset(100, Map.of(ids.get(0), 3L), 40)));
        progress.complete(List.of(admit(ids.get(1), 1, 90)));
        assertThat(progress.takeChanged().values())
                .allMatch(place -> place.equals(new SliceOffset(100, Map.of(ids.get(0), 3L), 40)));
        progress.complete(List.of(admit(ids.get(1), 2, 100)));
        assertThat(progress.takeChanged())
                .containsExactly(Map.entry(7, new SliceOffset(100, Map.of(ids.get(0), 3L, ids.get(1), 2L), 40)));
        progress.complete(List.of(admit(ids.get(1), 3, 101)));
        assertThat(progress.takeChanged())
                .as("what was set by hand stays")
                .containsExactly(Map.entry(7, new SliceOffset(101, Map.of(ids.get(1), 3L), 40)));
        assertThat(progress.takeChanged()).isEmpty();
        progress.notStored(Set.of(7));
        assertThat(progress.takeChanged()).containsOnlyKeys(7);
    }

    @Test
    void entitiesBeyondTheTimeWindow_areForgottenUnlessInFlightOrHeld() {
        List<String> ids = TestEvents.ofSlice(7, 4);
        progress.complete(List.of(admit(ids.get(0), 1, MINUTE)));
        InFlight<?> inFlight = admit(ids.get(1), 1, MINUTE);
        progress.complete(List.of(admit(ids.get(2), 1, 2 * MINUTE)));
        progress.complete(List.of(admit(ids.get(3), 1, 6 * MINUTE)));
        assertThat(isKnown(ids.get(0))).as("exactly the window").isTrue();
        progress.hold(Set.of(ids.get(2)));
        progress.complete(List.of(admit(ids.get(3), 2, 60 * MINUTE)));
        assertThat(isKnown(ids.get(1))).as("in flight").isTrue();
        assertThat(isKnown(ids.get(2))).as("held").isTrue();
        progress.release(Set.of(ids.get(2)));
        progress.complete(List.of(inFlight));
        progress.complete(List.of(admit(ids.get(3), 3, 60 * MINUTE)));
        assertThat(ids.stream().filter(this::isKnown)).containsExactly(ids.get(3));
    }

    @Test
    void slicesAtDifferentTimes_doNotForgetEachOthersEntities() {
        String behind = TestEvents.ofSlice(1, 1).get(0);
        String ahead = TestEvents.ofSlice(2, 1).get(0);
        progress.complete(List.of(admit(behind, 1, MINUTE)));
        progress.complete(List.of(admit(ahead, 1, 1_000 * MINUTE)));
        progress.complete(List.of(admit(behind, 2, MINUTE + 1)));
        progress.complete(List.of(admit(ahead, 2, 1_001 * MINUTE)));
        assertThat(isKnown(behind)).isTrue();
        assertThat(isKnown(ahead)).isTrue();
    }

    @Test
    void moreThanTheMostEntities_theLeastRecentlyUsedAreForgotten() {
        List<InFlight<?>> open = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            open.add(admit("e" + i, 1, MINUTE));
        }
        assertThat(IntStream.range(0, 300).filter(i -> !isKnown("e" + i)))
                .as("all are in flight")
                .isEmpty();
        progress.complete(open);
        assertThat(IntStream.range(0, 300)
                        .filter(i -> progress.hold(Set.of("e" + i)).isEmpty()))
                .containsExactlyElementsOf(IntStream.range(200, 300).boxed().toList());
    }

    @Test
    void duplicatesOnly_doNotFillTheMemory() {
        for (int i = 0; i < 1_000; i++) {
            know(progress, "e" + i, 5, MINUTE);
            assertThat(progress.judge(position("e" + i, 5, MINUTE))).isEqualTo(new Verdict.Duplicate());
            progress.release(Set.of("e" + i));
        }
        assertThat(IntStream.range(0, 1_000)
                        .filter(i -> progress.hold(Set.of("e" + i)).isEmpty()))
                .hasSize(100);
    }

    @Test
    void entity_inFlightTwice_staysUntilTheLastIsComplete() {
        String id = TestEvents.ofSlice(7, 2).get(0);
        String other = TestEvents.ofSlice(7, 2).get(1);
        InFlight<?> first = admit(id, 1, 1);
        InFlight<?> second = admit(id, 2, 2);
        InFlight<?> newest = admit(other, 1, 60 * MINUTE);
        progress.complete(List.of(first));
        progress.complete(List.of(newest));
        assertThat(isKnown(id)).isTrue();
        progress.complete(List.of(second));
        progress.complete(List.of(admit(other, 2, 60 * MINUTE)));
        assertThat(progress.hold(Set.of(id))).containsExactly(id);
    }

    @Test
    void entity_withAnEarlierEventUnderWay_staysWhenALaterOneIsComplete() {
        String id = TestEvents.ofSlice(7, 2).get(0);
        String other = TestEvents.ofSlice(7, 2).get(1);
        InFlight<?> first = admit(id, 1, 1);
        progress.complete(List.of(admit(id, 2, 2)));
        progress.complete(List.of(admit(other, 1, 60 * MINUTE)));
        assertThat(isKnown(id)).isTrue();
        progress.complete(List.of(first));
        progress.complete(List.of(admit(other, 2, 60 * MINUTE)));
        assertThat(progress.hold(Set.of(id))).containsExactly(id);
    }

    @Test
    void lateEventUnderWay_takesThePlaceBackUntilItIsComplete() {
        String id = TestEvents.ofSlice(7, 2).get(0);
        String late = TestEvents.ofSlice(7, 2).get(1);
        progress.complete(List.of(admit(id, 1, 10 * MINUTE)));
        assertThat(progress.takeChanged().values())
                .extracting(SliceOffset::timestamp)
                .containsExactly(10 * MINUTE);
        InFlight<?> open = admit(late, 1, MINUTE);
        assertThat(progress.takeChanged()).containsExactly(Map.entry(7, new SliceOffset(MINUTE, Map.of(), 0)));
        assertThat(progress.takeChanged()).isEmpty();
        progress.complete(List.of(open));
        assertThat(progress.takeChanged().values())
                .extracting(SliceOffset::timestamp)
                .containsExactly(10 * MINUTE);
    }

    @Test
    void eventOfAGapUnderWay_takesThePlaceBackOnlyToTheEventThatBroughtIt() {
        String id = TestEvents.ofSlice(7, 2).get(0);
        String other = TestEvents.ofSlice(7, 2).get(1);
        progress.complete(List.of(admit(other, 1, 10 * MINUTE)));
        progress.stored(progress.takeChanged());
        know(progress, id, 0, 0);
        progress.admit(position(id, 2, 9 * MINUTE));
        begin(progress, position(id, 1, 0), 9 * MINUTE);
        assertThat(progress.takeChanged()).containsExactly(Map.entry(7, new SliceOffset(9 * MINUTE, Map.of(), 0)));
    }

    @Test
    void quietSlices_followTheirShardAfterAnHour_butNotBeyondWhatIsUnderWay() {
        String busy = TestEvents.ofSlice(5, 1).get(0);
        String slow = TestEvents.ofSlice(6, 1).get(0);
        start(
                progress,
                4,
                Map.of(
                        4, new SliceOffset(MINUTE, Map.of("a", 1L), 5),
                        7, new SliceOffset(900 * MINUTE, Map.of(), 0),
                        8, new SliceOffset(MINUTE, Map.of(), 0)));
        progress.complete(List.of(admit(busy, 1, 61 * MINUTE)));
        assertThat(progress.takeChanged()).as("no more than an hour").containsOnlyKeys(5);
        InFlight<?> open = admit(slow, 1, 80 * MINUTE);
        progress.complete(List.of(admit(busy, 2, 90 * MINUTE)));
        assertThat(progress.takeChanged())
                .containsExactly(
                        Map.entry(4, new SliceOffset(80 * MINUTE - 1, Map.of(), 5)),
                        Map.entry(5, new SliceOffset(90 * MINUTE, Map.of(busy, 2L), 0)));
        progress.complete(List.of(open));
        assertThat(progress.takeChanged()).as("slice 8 is in another shard").containsOnlyKeys(6);
    }

    @Test
    void slicesWithoutAnyEvent_followTheirShardAnHourAfterItsFirst_orAtTheEnd() {
        String busy = TestEvents.ofSlice(5, 1).get(0);
        start(progress, 4, Map.of());
        progress.complete(List.of(admit(busy, 1, 1_000 * MINUTE)));
        progress.complete(List.of(admit(busy, 2, 1_060 * MINUTE)));
        assertThat(progress.takeChanged()).containsOnlyKeys(5);
        progress.complete(List.of(admit(busy, 3, 1_060 * MINUTE + 1)));
        Map<Integer, SliceOffset> followed = progress.takeChanged();
        assertThat(followed).containsOnlyKeys(4, 5, 6, 7);
        progress.stored(followed);
        assertThat(progress.stored()).isEqualTo(followed);
        progress.complete(List.of(admit(busy, 4, 1_062 * MINUTE + 1)));
        assertThat(progress.takeChanged()).containsOnlyKeys(5);
        progress.complete(List.of(admit(busy, 5, 1_062 * MINUTE + 2)));
        assertThat(progress.takeLast()).containsOnlyKeys(4, 5, 6, 7);
        assertThat(progress.takeLast()).isEmpty();
    }

    @Test
    void duplicatesThatComeAgain_countForWhatARestartReads() {
        String busy = TestEvents.ofSlice(5, 1).get(0);
        start(progress, 4, Map.of(5, new SliceOffset(1_100 * MINUTE, Map.of(), 0)));
        InFlight<?> duplicate = new InFlight<>(new AdaptedEvent<>(position(busy, 1, MINUTE), List.of()));
        progress.arrived(duplicate);
        progress.discard(duplicate);
        progress.complete(List.of(admit(busy, 10, 1_101 * MINUTE)));
        assertThat(progress.takeChanged()).containsOnlyKeys(4, 5, 6, 7);
    }

    @Test
    void droppedEvents_areStoredWhenAllBeforeThemAreComplete_unlessALaterOneIs() {
        List<String> ids = TestEvents.ofSlice(7, 2);
        InFlight<?> first = admit(ids.get(0), 1, 10);
        progress.drop(admit(ids.get(0), 2, 20));
        progress.drop(admit(ids.get(1), 1, 30));
        assertThat(progress.dropped()).isEqualTo(2);
        assertThat(progress.takeDropped()).containsExactly(new LastProcessed(ids.get(1), 1, 30));
        progress.complete(List.of(first));
        List<LastProcessed> both = progress.takeDropped();
        assertThat(both).containsExactly(new LastProcessed(ids.get(0), 2, 20), new LastProcessed(ids.get(1), 1, 30));
        progress.drop(admit(ids.get(1), 2, 40));
        progress.storedDropped(both);
        assertThat(progress.takeDropped()).as("a later one").containsExactly(new LastProcessed(ids.get(1), 2, 40));
        progress.complete(List.of(admit(ids.get(1), 3, 50)));
        assertThat(progress.takeDropped()).isEmpty();
        assertThat(progress.dropped()).isZero();
    }

    @Test
    void entitiesWithDroppedEvents_areForgottenAsOthers_andThatTheyWereDroppedIsStoredAllTheSame() {
        List<String> ids = TestEvents.ofSlice(7, 2);
        progress.drop(admit(ids.get(0), 1, MINUTE));
        progress.complete(List.of(admit(ids.get(1), 1, 60 * MINUTE)));
        assertThat(isKnown(ids.get(0))).isFalse();
        assertThat(progress.takeDropped()).containsExactly(new LastProcessed(ids.get(0), 1, MINUTE));
        InFlight<?> next = admit(ids.get(0), 2, 60 * MINUTE);
        assertThat(progress.takeDropped()).as("it may be more soon").isEmpty();
        progress.complete(List.of(next));
        assertThat(progress.dropped()).isZero();
    }

    @Test
    void droppedEventsThatCannotBeStored_areBounded_andKeepNoEntityInMemory() {
        for (int i = 0; i < DroppedEvents.MOST + 5; i++) {
            progress.drop(admit("e" + i, 1, MINUTE + i));
        }
        assertThat(progress.takeDropped())
                .hasSize(DroppedEvents.MOST)
                .startsWith(new LastProcessed("e5", 1, MINUTE + 5));
        assertThat(IntStream.range(0, DroppedEvents.MOST)
                        .filter(i -> progress.hold(Set.of("e" + i)).isEmpty()))
                .hasSizeLessThanOrEqualTo(100);
    }

    @Test
    void verdicts_whereEntitiesCanBeginAnew() {
        StreamProgress resetting = new StreamProgress(Duration.ofMinutes(5), 100, Optional.of(Duration.ofMinutes(1)));
        know(resetting, "a", 5, 50);
        LastProcessed last = new LastProcessed("a", 5, 50);
        assertThat(resetting.judge(position("a", 6, 50 + MINUTE))).isEqualTo(new Verdict.Next());
        assertThat(resetting.judge(position("a", 6, 51 + MINUTE)))
                .as("of this life, or of the next")
                .isEqualTo(new Verdict.PerhapsReset(last));
        assertThat(resetting.judgeInTheSameLife(position("a", 6, 51 + MINUTE))).isEqualTo(new Verdict.Next());
        assertThat(resetting.judge(position("a", 8, 51 + MINUTE))).isEqualTo(new Verdict.PerhapsReset(last));
        assertThat(resetting.judgeInTheSameLife(position("a", 8, 51 + MINUTE))).isEqualTo(new Verdict.Gap(6));
        assertThat(resetting.judge(position("a", 6, 49)))
                .as("of the life before")
                .isEqualTo(new Verdict.Duplicate());
        assertThat(resetting.judge(position("a", 3, 49))).isEqualTo(new Verdict.Duplicate());
    }
}
