package io.varve.persistence.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.SliceRange;
import io.varve.store.Slices;
import java.time.Instant;
import java.util.Map;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.TimestampOffset;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One place for each slice, which only moves forward. */
class SliceOffsetsTest {
    private static final Instant EARLY = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant LATE = EARLY.plusNanos(1_000);

    private static TimestampOffset at(Instant timestamp, Map<String, Long> seen) {
        return SliceOffsets.timestampOffset(timestamp, timestamp.plusSeconds(1), seen);
    }

    private static EventEnvelope<String> envelope(Offset offset, int slice) {
        return EventEnvelope.create(offset, "cart|1", 7, "event", 0, "cart", slice);
    }

    @Test
    void empty_hasNoPlaceInAnySlice() {
        assertThat(SliceOffsets.EMPTY.offset(0)).isEmpty();
        assertThat(SliceOffsets.EMPTY.offset(1023)).isEmpty();
        assertThat(SliceOffsets.EMPTY.asMap()).isEmpty();
    }

    @Test
    void plus_ofANewSlice_leavesTheOthersAndTheOriginalAlone() {
        SliceOffsets one = SliceOffsets.EMPTY.plus(3, at(LATE, Map.of("a", 1L)));
        SliceOffsets two = one.plus(1023, at(EARLY, Map.of("b", 2L)));
        assertThat(two.asMap())
                .containsExactly(Map.entry(3, at(LATE, Map.of("a", 1L))), Map.entry(1023, at(EARLY, Map.of("b", 2L))));
        assertThat(one.offset(1023)).isEmpty();
        assertThat(SliceOffsets.EMPTY.offset(3)).isEmpty();
    }

    @Test
    void plus_ofALaterOne_replaces() {
        assertThat(SliceOffsets.EMPTY
                        .plus(3, at(EARLY, Map.of("a", 1L)))
                        .plus(3, at(LATE, Map.of("b", 1L)))
                        .offset(3))
                .contains(at(LATE, Map.of("b", 1L)));
    }

    @Test
    void plus_ofAnEarlierOne_changesNothing() {
        SliceOffsets offsets = SliceOffsets.EMPTY.plus(3, at(LATE, Map.of("b", 1L)));
        assertThat(offsets.plus(3, at(EARLY, Map.of("a", 1L)))).isSameAs(offsets);
    }

    @Test
    void plus_ofTheSameTime_joinsWhatWasSeenThen() {
        SliceOffsets offsets = SliceOffsets.EMPTY
                .plus(3, at(EARLY, Map.of("a", 5L, "b", 1L)))
                .plus(3, at(EARLY, Map.of("a", 4L, "b", 2L, "c;d", 1L)));
        assertThat(offsets.offset(3)).contains(at(EARLY, Map.of("a", 5L, "b", 2L, "c;d", 1L)));
        assertThat(offsets.plus(3, at(EARLY, Map.of("a", 1L)))).isSameAs(offsets);
    }

    @Test
    void plus_ofTheSameTime_keepsTheLaterReadTimestamp() {
        TimestampOffset readLate = SliceOffsets.timestampOffset(EARLY, LATE, Map.of());
        TimestampOffset readEarly = SliceOffsets.timestampOffset(EARLY, EARLY, Map.of());
        assertThat(SliceOffsets.EMPTY.plus(0, readEarly).plus(0, readLate).offset(0))
                .contains(readLate);
        assertThat(SliceOffsets.EMPTY.plus(0, readLate).plus(0, readEarly).offset(0))
                .contains(readLate);
    }

    @Test
    void plus_ofAnEnvelope_takesItsSliceAndOffset() {
        TimestampOffset offset = at(EARLY, Map.of("cart|1", 7L));
        assertThat(SliceOffsets.EMPTY.plus(envelope(offset, 17)))
                .isEqualTo(SliceOffsets.EMPTY.plus("cart", 17, offset));
    }

    @Test
    void plus_ofAnEnvelopeWithAnotherKindOfOffset_isRefused() {
        assertThatThrownBy(() -> SliceOffsets.EMPTY.plus(envelope(Offset.sequence(1), 17)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("event 7 of 'cart|1'")
                .hasMessageContaining("must be a TimestampOffset");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1024})
    void slice_thatDoesNotExist_isRefused(int slice) {
        assertThatThrownBy(() -> SliceOffsets.EMPTY.plus(slice, at(EARLY, Map.of())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("There is no slice " + slice + ": they are numbered from 0 to 1023.");
        assertThatThrownBy(() -> SliceOffsets.EMPTY.offset(slice)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void equality_isThatOfTheContents() {
        Map<Integer, TimestampOffset> places = Map.of(1, at(EARLY, Map.of("a", 1L)), 2, at(LATE, Map.of()));
        assertThat(SliceOffsets.of(places))
                .isEqualTo(SliceOffsets.EMPTY.plus(2, at(LATE, Map.of())).plus(1, at(EARLY, Map.of("a", 1L))))
                .hasSameHashCodeAs(SliceOffsets.of(places))
                .isNotEqualTo(SliceOffsets.EMPTY)
                .isNotEqualTo(Offset.noOffset());
        assertThat(SliceOffsets.of(Map.of())).isEqualTo(SliceOffsets.EMPTY);
    }

    @Test
    void placesOfEntityTypes_areApart() {
        SliceOffsets offsets = SliceOffsets.EMPTY
                .plus("cart", 3, at(EARLY, Map.of("cart|1", 1L)))
                .plus("order", 3, at(LATE, Map.of("order|1", 1L)));
        assertThat(offsets.offset("cart", 3)).contains(at(EARLY, Map.of("cart|1", 1L)));
        assertThat(offsets.offset("order", 3)).contains(at(LATE, Map.of("order|1", 1L)));
        assertThat(offsets.offset("other", 3)).isEmpty();
        assertThat(offsets.offset(3)).as("the earliest").contains(at(EARLY, Map.of("cart|1", 1L)));
    }

    @Test
    void placeWithoutAType_belongsToTheTypesOfWhatItHasSeen_orToAll() {
        int slice = Slices.of("cart|1");
        SliceOffsets offsets = SliceOffsets.EMPTY.plus(slice, at(EARLY, Map.of("cart|1", 1L)));
        assertThat(offsets.offset("cart", slice)).isPresent();
        assertThat(offsets.offset("order", slice)).isEmpty();
        SliceOffsets all = offsets.plus(slice, at(LATE, Map.of()));
        assertThat(all.offset("order", slice)).contains(at(LATE, Map.of()));
        assertThat(all.offset("cart", slice)).contains(at(LATE, Map.of()));
        assertThat(all.offset(slice)).contains(at(LATE, Map.of()));
    }

    @Test
    void floor_isThatOfItsSlicesOnly_andTheHighestCounts() {
        SliceOffsets offsets = SliceOffsets.EMPTY
                .withFloor(new SliceRange("cart", 0, 15), EARLY)
                .withFloor(new SliceRange("cart", 0, 7), LATE);
        assertThat(offsets.floor("cart", 7)).contains(LATE);
        assertThat(offsets.floor("cart", 8)).contains(EARLY);
        assertThat(offsets.floor("cart", 16)).isEmpty();
        assertThat(offsets.floor("order", 7)).isEmpty();
        assertThat(offsets.withFloor(new SliceRange("cart", 0, 7), EARLY)).isSameAs(offsets);
        assertThat(offsets.withFloor(new SliceRange("cart", 0, 31), LATE))
                .as("what it includes is dropped")
                .isEqualTo(SliceOffsets.EMPTY.withFloor(new SliceRange("cart", 0, 31), LATE));
    }

    @Test
    void plus_ofOthers_hasWhatEitherSays() {
        SliceOffsets one = SliceOffsets.EMPTY
                .plus("cart", 3, at(EARLY, Map.of("a", 1L)))
                .withFloor(new SliceRange("cart", 0, 7), LATE);
        SliceOffsets other = SliceOffsets.EMPTY
                .plus("cart", 3, at(LATE, Map.of("b", 1L)))
                .plus("cart", 9, at(EARLY, Map.of()))
                .withFloor(new SliceRange("cart", 8, 15), EARLY);
        assertThat(one.plus(other)).isEqualTo(other.plus(one));
        assertThat(one.plus(other).asMap())
                .containsExactly(Map.entry(3, at(LATE, Map.of("b", 1L))), Map.entry(9, at(EARLY, Map.of())));
        assertThat(one.plus(other).floor("cart", 7)).contains(LATE);
        assertThat(one.plus(other).floor("cart", 8)).contains(EARLY);
        assertThat(SliceOffsets.EMPTY.plus(one)).isEqualTo(one).isEqualTo(one.plus(SliceOffsets.EMPTY));
    }

    @Test
    void plus_ofAnEnvelopeWithSliceOffsets_takesWhatTheySayOfItsSlice() {
        SliceRange shard = new SliceRange("cart", 0, 15);
        SliceOffsets reached = SliceOffsets.EMPTY
                .plus("cart", 3, at(LATE, Map.of("a", 1L)))
                .plus("cart", 4, at(LATE, Map.of("b", 1L)))
                .withFloor(shard, EARLY)
                .withFloor(new SliceRange("cart", 16, 31), LATE);
        assertThat(SliceOffsets.EMPTY.plus(envelope(reached, 3)))
                .isEqualTo(SliceOffsets.EMPTY
                        .plus("cart", 3, at(LATE, Map.of("a", 1L)))
                        .withFloor(shard, EARLY));
    }

    @Test
    void asMap_isACopy() {
        SliceOffsets offsets = SliceOffsets.EMPTY.plus(1, at(EARLY, Map.of()));
        offsets.asMap().clear();
        assertThat(offsets.offset(1)).isPresent();
    }

    @Test
    void toString_isShortAndNamesNoEntity() {
        assertThat(SliceOffsets.EMPTY).hasToString("SliceOffsets(none)");
        assertThat(SliceOffsets.of(Map.of(5, at(LATE, Map.of("a", 1L)), 900, at(EARLY, Map.of()))))
                .hasToString(
                        "SliceOffsets(2 from slice 5 to 900, 2026-01-01T00:00:00Z to 2026-01-01T00:00:00.000001Z)");
    }
}
