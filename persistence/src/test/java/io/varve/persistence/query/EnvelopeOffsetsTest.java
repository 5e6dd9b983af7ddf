package io.varve.persistence.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.layout.Event;
import io.varve.store.layout.Payload;
import java.time.Instant;
import java.time.InstantSource;
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

    private static Event event(String persistenceId, long number, long timestamp) {
        return new Event(
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
    }

    private static Offset at(long timestamp, Map<String, Long> seen) {
        return SliceOffsets.timestampOffset(EnvelopeOffsets.instant(timestamp), Instant.EPOCH, seen);
    }

    @Test
    void events_haveTheirOwnTimesAndJoinAtTheSameTime() {
        EnvelopeOffsets offsets = EnvelopeOffsets.startingAt(NoOffset.getInstance(), CLOCK);
        assertThat(offsets.apply(event("a", 1, 5))).isEqualTo(at(5, Map.of("a", 1L)));
        assertThat(offsets.apply(event("b", 1, 5))).isEqualTo(at(5, Map.of("a", 1L, "b", 1L)));
        assertThat(offsets.apply(event("a", 2, 6))).isEqualTo(at(6, Map.of("a", 2L)));
    }

    @Test
    void aLateEvent_carriesWhatHasBeenReached() {
        EnvelopeOffsets offsets = EnvelopeOffsets.startingAt(NoOffset.getInstance(), CLOCK);
        Offset reached = offsets.apply(event("a", 1, 9));
        assertThat(offsets.apply(event("b", 1, 5))).isEqualTo(reached);
    }

    @Test
    void repeatedEventsOfTheWindow_carryTheStartOffset() {
        TimestampOffset start = (TimestampOffset) at(100, Map.of("a", 3L));
        EnvelopeOffsets offsets = EnvelopeOffsets.startingAt(start, CLOCK);
        assertThat(offsets.apply(event("b", 1, 50))).isEqualTo(start);
        assertThat(offsets.apply(event("b", 2, 100))).isEqualTo(at(100, Map.of("a", 3L, "b", 2L)));
        assertThat(offsets.apply(event("b", 3, 101))).isEqualTo(at(101, Map.of("b", 3L)));
    }

    @Test
    void withAnOffsetForEachSlice_eachEventHasItsOwn() {
        EnvelopeOffsets offsets = EnvelopeOffsets.startingAt(SliceOffsets.EMPTY, CLOCK);
        offsets.apply(event("a", 1, 9));
        assertThat(offsets.apply(event("b", 1, 5))).isEqualTo(at(5, Map.of("b", 1L)));
    }
}
