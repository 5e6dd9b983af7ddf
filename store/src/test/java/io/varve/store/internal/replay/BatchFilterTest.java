package io.varve.store.internal.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.Payload;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.SdkBytes;

class BatchFilterTest {
    private final List<Long> passed = new ArrayList<>();

    private static Event event(long number, int index, int last, String writer) {
        return new Event(
                "p",
                number,
                new Payload(SdkBytes.fromUtf8String("x"), 20, ""),
                writer,
                "",
                Optional.empty(),
                Set.of(),
                1,
                last == 0 ? Optional.empty() : Optional.of(new Event.Batch(index, last, Optional.empty())),
                Optional.empty(),
                false);
    }

    private static Event single(long number) {
        return event(number, 0, 0, "w");
    }

    private static Event part(long number, int index, int last) {
        return event(number, index, last, "w");
    }

    private List<Long> filter(long start, Event... events) {
        BatchFilter filter = new BatchFilter(start, event -> passed.add(event.sequenceNumber()));
        for (Event event : events) {
            filter.add(event);
        }
        return passed;
    }

    @Test
    void singlesAndWholeAtomicWrites_pass() {
        assertThat(filter(1, single(1), part(2, 0, 2), part(3, 1, 2), part(4, 2, 2), single(5)))
                .containsExactly(1L, 2L, 3L, 4L, 5L);
    }

    @Test
    void atomicWriteWithoutItsEnd_isDropped() {
        assertThat(filter(1, part(1, 0, 2), part(2, 1, 2))).isEmpty();
        assertThat(filter(1, part(1, 0, 2), part(2, 1, 2), single(4))).containsExactly(4L);
    }

    @Test
    void atomicWriteWithoutItsMiddleOrBeginning_isDropped() {
        assertThat(filter(1, part(1, 0, 2), part(3, 2, 2), single(4))).containsExactly(4L);
        passed.clear();
        assertThat(filter(1, part(2, 1, 2), part(3, 2, 2), single(4))).containsExactly(4L);
    }

    @Test
    void atomicWriteThatBeganBeforeTheStart_passesFromThere() {
        assertThat(filter(2, part(2, 1, 3), part(3, 2, 3), part(4, 3, 3))).containsExactly(2L, 3L, 4L);
    }

    @Test
    void atomicWriteThatBeganBeforeTheStart_isDroppedIfAPartIsMissing() {
        assertThat(filter(2, part(3, 2, 3), part(4, 3, 3))).isEmpty();
        assertThat(filter(2, part(2, 1, 3), part(3, 2, 3))).isEmpty();
    }

    @Test
    void twoWritersHalves_doNotMakeAWhole() {
        assertThat(filter(1, event(1, 0, 1, "a"), event(2, 1, 1, "b"))).isEmpty();
    }

    @Test
    void atomicWriteAfterAnIncompleteOne_passes() {
        assertThat(filter(1, part(1, 0, 3), part(2, 0, 1), part(3, 1, 1))).containsExactly(2L, 3L);
    }
}
