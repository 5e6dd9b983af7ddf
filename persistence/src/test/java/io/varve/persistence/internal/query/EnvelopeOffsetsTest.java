package io.varve.persistence.internal.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.persistence.query.SliceOffsets;
import io.varve.store.SliceRange;
import io.varve.store.Slices;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.Microseconds;
import io.varve.store.internal.layout.Payload;
import io.varve.store.internal.slice.SliceEvent;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.pekko.persistence.query.NoOffset;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.TimestampOffset;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.SdkBytes;

class EnvelopeOffsetsTest {
    private static final InstantSource CLOCK = InstantSource.system();

    private static final SliceRange SLICES = new SliceRange("", 64, 127);

    private static SliceEvent event(String persistenceId, long number, long timestamp) {
        return event(persistenceId, number, timestamp, 0);
    }

    private static SliceEvent event(String persistenceId, long number, long timestamp, long floor) {
        Event event = new Event(
                persistenceId,
                number,
                new Payload(SdkBytes.fromUtf8String(""), 1, ""),
                "w",
                "",
                Optional.empty(),
                Set.of(),
                timestamp,
                Optional.empty(),
                Optional.empty(),
                false);
        return new SliceEvent(event, SLICES, floor);
    }

    private static TimestampOffset at(long timestamp, Map<String, Long> seen) {
        return SliceOffsets.timestampOffset(Microseconds.toInstant(timestamp), Instant.EPOCH, seen);
    }

    @Test
    void events_haveTheirOwnTimesAndJoinAtTheSameTime() {
        EnvelopeOffsets offsets = EnvelopeOffsets.startingAt(NoOffset.getInstance(), CLOCK);
        assertThat(offsets.of(event("a", 1, 5))).isEqualTo(at(5, Map.of("a", 1L)));
        assertThat(offsets.of(event("b", 1, 5))).isEqualTo(at(5, Map.of("a", 1L, "b", 1L)));
        assertThat(offsets.of(event("a", 2, 6))).isEqualTo(at(6, Map.of("a", 2L)));
    }

    @Test
    void aLateEvent_carriesWhatHasBeenReached() {
        EnvelopeOffsets offsets = EnvelopeOffsets.startingAt(NoOffset.getInstance(), CLOCK);
        Offset reached = offsets.of(event("a", 1, 9));
        assertThat(offsets.of(event("b", 1, 5))).isEqualTo(reached);
    }

    @Test
    void repeatedEventsOfTheWindow_carryTheStartOffset() {
        TimestampOffset start = at(100, Map.of("a", 3L));
        EnvelopeOffsets offsets = EnvelopeOffsets.startingAt(start, CLOCK);
        assertThat(offsets.of(event("b", 1, 50))).isEqualTo(start);
        assertThat(offsets.of(event("b", 2, 100))).isEqualTo(at(100, Map.of("a", 3L, "b", 2L)));
        assertThat(offsets.of(event("b", 3, 101))).isEqualTo(at(101, Map.of("b", 3L)));
    }

    @Test
    void withSliceOffsets_eachEventHasAllThatTheStreamHasReached() {
        int a = Slices.of("a");
        int b = Slices.of("b");
        SliceOffsets start = SliceOffsets.EMPTY.plus("", 5, at(3, Map.of()));
        EnvelopeOffsets offsets = EnvelopeOffsets.startingAt(start, CLOCK);
        SliceOffsets first = start.plus("", a, at(9, Map.of("a", 1L))).withFloor(SLICES, Microseconds.toInstant(7));
        assertThat(offsets.of(event("a", 1, 9, 7))).isEqualTo(first);
        SliceOffsets second = first.plus("", b, at(5, Map.of("b", 1L))).withFloor(SLICES, Microseconds.toInstant(9));
        assertThat(offsets.of(event("b", 1, 5, 9))).isEqualTo(second);
        assertThat(offsets.of(event("b", 1, 5, 8))).as("a floor does not sink").isEqualTo(second);
    }

    @Test
    void withSliceOffsets_typesThatAreNotKnown_beginNoLaterThanTheNewestEvent_whateverTheClockSays() {
        EnvelopeOffsets offsets = EnvelopeOffsets.startingAt(SliceOffsets.EMPTY, CLOCK);
        offsets.reads(List.of(), Instant.EPOCH, Microseconds.toInstant(100));
        assertThat(floor(offsets.of(event("a", 1, 9)))).isEqualTo(9);
        assertThat(floor(offsets.of(event("b", 1, 5)))).isEqualTo(9);
        assertThat(floor(offsets.of(event("a", 2, 101)))).isEqualTo(100);
        offsets.reads(List.of(), Instant.EPOCH, Microseconds.toInstant(3_600_000));
        assertThat(floor(offsets.of(event("a", 3, 102)))).isEqualTo(102);
    }

    private static long floor(Offset offset) {
        return Microseconds.of(
                ((SliceOffsets) offset).floor(SliceOffsets.ANY_TYPE, 5).orElseThrow());
    }

    @Test
    void withSliceOffsetsThatWantIt_eachEventHasItsOwn() {
        EnvelopeOffsets offsets = EnvelopeOffsets.startingAt(SliceOffsets.EMPTY.withEventOffsets(), CLOCK);
        offsets.of(event("a", 1, 9));
        assertThat(offsets.of(event("b", 1, 5))).isEqualTo(at(5, Map.of("b", 1L)));
    }
}
