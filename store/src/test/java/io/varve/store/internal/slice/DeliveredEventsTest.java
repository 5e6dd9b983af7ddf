package io.varve.store.internal.slice;

import static io.varve.store.internal.slice.TestJournal.event;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DeliveredEventsTest {
    private final DeliveredEvents delivered = new DeliveredEvents(2, 100);

    @Test
    void rememberedEntity_coversItsEventsUpToTheLastOne() {
        delivered.add("a", 5, 200);
        assertThat(delivered.covers(event("a", 5, 200))).isTrue();
        assertThat(delivered.covers(event("a", 4, 150))).isTrue();
        assertThat(delivered.covers(event("a", 6, 201))).isFalse();
        assertThat(delivered.remembers(event("a", 5, 200))).isTrue();
        assertThat(delivered.remembers(event("b", 5, 200))).isFalse();
    }

    @Test
    void lowerNumberWithALaterTime_isOfAnotherEntityOfThatName() {
        delivered.add("a", 5, 200);
        assertThat(delivered.covers(event("a", 1, 300))).isFalse();
        assertThat(delivered.remembers(event("a", 1, 300))).isFalse();
    }

    @Test
    void unknownEntity_isCoveredBeforeTheFloor_andNotAtIt() {
        assertThat(delivered.covers(event("a", 1, 99))).isTrue();
        assertThat(delivered.covers(event("a", 1, 100))).isFalse();
        assertThat(delivered.remembers(event("a", 1, 99))).isFalse();
    }

    @Test
    void forget_keepsWhatWasDeliveredAtTheFloor() {
        delivered.add("a", 1, 149);
        delivered.add("b", 1, 150);
        delivered.forget(150, 1_000);
        assertThat(delivered.last("a")).isNull();
        assertThat(delivered.covers(event("a", 1, 149))).isTrue();
        assertThat(delivered.last("b")).isEqualTo(new DeliveredEvents.Last(1, 150, Optional.empty()));
        assertThat(delivered.covers(event("b", 2, 151))).isFalse();
        assertThat(delivered.covers(event("c", 1, 150))).isFalse();
    }

    @Test
    void floor_neverSinks() {
        delivered.forget(150, 1_000);
        delivered.forget(120, 1_000);
        assertThat(delivered.floor()).isEqualTo(150);
    }

    @Test
    void surplus_raisesTheFloorAboveTheOldest_soThatItCountsAsDelivered() {
        delivered.add("a", 1, 150);
        delivered.add("b", 1, 150);
        delivered.add("c", 1, 160);
        delivered.forget(100, 160);
        assertThat(delivered.last("a")).isNull();
        assertThat(delivered.floor()).isEqualTo(151);
        assertThat(delivered.covers(event("a", 1, 150))).isTrue();
        assertThat(delivered.covers(event("a", 2, 151))).isFalse();
        assertThat(delivered.covers(event("c", 1, 160))).isTrue();
    }

    @Test
    void surplus_isCounted_butNotWhatNobodyNeedsAnyMore() {
        delivered.add("a", 1, 150);
        delivered.add("b", 1, 151);
        delivered.add("c", 1, 160);
        delivered.add("d", 1, 161);
        assertThat(delivered.forget(151, 200)).as("a is not needed").isEqualTo(1);
        assertThat(delivered.forget(151, 200)).isZero();
        assertThat(delivered.last("c")).isNotNull();
    }

    @Test
    void whatIsAheadOfThePlainPass_isNeverForgotten() {
        delivered.add("a", 1, 300);
        delivered.add("b", 1, 301);
        delivered.add("c", 1, 150);
        delivered.forget(100, 200);
        assertThat(delivered.last("a")).isNotNull();
        assertThat(delivered.last("b")).isNotNull();
        assertThat(delivered.last("c"))
                .as("not more than two, whatever the order")
                .isNull();
    }

    @Test
    void room_isThereWhereOneThatWasReadCanGo() {
        assertThat(delivered.hasRoom(200)).isTrue();
        delivered.add("a", 1, 300);
        assertThat(delivered.hasRoom(200)).isTrue();
        delivered.add("b", 1, 200);
        assertThat(delivered.hasRoom(200)).isTrue();
        delivered.add("b", 2, 201);
        assertThat(delivered.hasRoom(200)).isFalse();
    }

    @Test
    void anyEntities_neverMoreThanItsCapacity_andAllThatWereDeliveredAreCovered() {
        Random random = new Random(1);
        DeliveredEvents some = new DeliveredEvents(5, 0);
        Map<String, Long> numbers = new HashMap<>();
        Map<String, Long> timestamps = new HashMap<>();
        for (long now = 1; now < 2_000; now++) {
            String id = "e" + random.nextInt(20);
            long number = numbers.merge(id, 1L, Long::sum);
            some.add(id, number, now);
            timestamps.put(id, now);
            some.forget(now - random.nextInt(50), now);
            long remembered =
                    numbers.keySet().stream().filter(e -> some.last(e) != null).count();
            assertThat(remembered).isLessThanOrEqualTo(5);
            numbers.forEach((e, n) -> assertThat(some.covers(event(e, n, timestamps.getOrDefault(e, 0L))))
                    .isTrue());
            long next = now + 1;
            numbers.forEach(
                    (e, n) -> assertThat(some.covers(event(e, n + 1, next))).isFalse());
        }
    }
}
