package io.varve.store.internal.slice;

import static io.varve.store.internal.slice.TestJournal.event;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.SliceRange;
import io.varve.store.internal.layout.Event;
import java.util.List;
import org.junit.jupiter.api.Test;

class MergeTest {
    private static final SliceRange CARTS = SliceRange.all("cart");
    private static final Event AT_100 = event("a", 1, 100);
    private static final Event AT_110 = event("b", 1, 110);
    private static final Event AT_200 = event("c", 1, 200);

    private static Event polled(Merge merge) {
        return requireNonNull(merge.poll()).event();
    }

    private static WaitingEvents shard(Merge merge) {
        WaitingEvents shard = new WaitingEvents(CARTS, 0);
        merge.add(shard);
        return shard;
    }

    @Test
    void delivery_saysBeforeWhichTimeNothingIsLeftToDeliver() {
        Merge merge = new Merge(Merge.ANY_SLACK);
        WaitingEvents input = shard(merge);
        Event late = event("d", 1, 90);
        input.add(List.of(AT_100, late, AT_110, AT_200), 300, 250);
        assertThat(merge.poll()).isEqualTo(new SliceEvent(AT_100, CARTS, 90));
        assertThat(merge.poll()).isEqualTo(new SliceEvent(late, CARTS, 110));
        assertThat(merge.poll()).isEqualTo(new SliceEvent(AT_110, CARTS, 200));
        assertThat(merge.poll()).isEqualTo(new SliceEvent(AT_200, CARTS, 250));
    }

    @Test
    void oldestEventOfAllShards_comesFirst() {
        Merge merge = new Merge(0);
        WaitingEvents one = shard(merge);
        WaitingEvents other = shard(merge);
        one.add(List.of(AT_100, AT_200), 300, 300);
        other.add(List.of(AT_110), 300, 300);
        assertThat(polled(merge)).isEqualTo(AT_100);
        assertThat(polled(merge)).isEqualTo(AT_110);
        assertThat(polled(merge)).isEqualTo(AT_200);
        assertThat(merge.poll()).isNull();
    }

    @Test
    void event_waitsForAShardThatIsBehindByMoreThanTheSlack() {
        Merge merge = new Merge(50);
        WaitingEvents ahead = shard(merge);
        WaitingEvents behind = shard(merge);
        ahead.add(List.of(AT_200), 300, 300);
        assertThat(merge.poll()).isNull();
        assertThat(merge.mayPass(200)).isFalse();
        behind.add(List.of(), 149, 149);
        assertThat(merge.poll()).isNull();
        behind.add(List.of(), 150, 150);
        assertThat(polled(merge)).isEqualTo(AT_200);
    }

    @Test
    void event_waitsForShardsThatMayBeMissing_asForOneThatIsBehind() {
        Merge merge = new Merge(50);
        WaitingEvents input = shard(merge);
        input.add(List.of(AT_100, AT_200), 300, 300);
        merge.mayMiss(149);
        assertThat(polled(merge)).isEqualTo(AT_100);
        assertThat(merge.poll()).isNull();
        assertThat(merge.mayPass(200)).isFalse();
        merge.mayMiss(150);
        assertThat(polled(merge)).isEqualTo(AT_200);
    }

    @Test
    void shardWithEventsThatWait_isNotWaitedFor_untilTheyAreTaken() {
        Merge merge = new Merge(50);
        WaitingEvents ahead = shard(merge);
        WaitingEvents behind = shard(merge);
        ahead.add(List.of(AT_200), 300, 300);
        behind.add(List.of(AT_100), 100, 100);
        assertThat(polled(merge)).isEqualTo(AT_100);
        assertThat(merge.poll()).isNull();
    }

    @Test
    void anySlack_letsEveryEventPass() {
        Merge merge = new Merge(Merge.ANY_SLACK);
        WaitingEvents ahead = shard(merge);
        shard(merge);
        ahead.add(List.of(AT_200), 300, 300);
        assertThat(merge.mayPass(Long.MAX_VALUE)).isTrue();
        assertThat(polled(merge)).isEqualTo(AT_200);
    }

    @Test
    void shardThatIsAddedLater_isWaitedFor() {
        Merge merge = new Merge(50);
        WaitingEvents ahead = shard(merge);
        ahead.add(List.of(AT_100, AT_200), 300, 300);
        assertThat(polled(merge)).isEqualTo(AT_100);
        WaitingEvents late = shard(merge);
        assertThat(merge.poll()).isNull();
        late.add(List.of(AT_110), Long.MAX_VALUE, Long.MAX_VALUE);
        assertThat(polled(merge)).isEqualTo(AT_110);
        assertThat(polled(merge)).isEqualTo(AT_200);
    }
}
