package io.varve.store.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.WriterConflictException;
import io.varve.store.internal.layout.Event;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.Gate;
import io.varve.testkit.RequestMatch;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A writer that was cut off while another one took over, wrote, and deleted what it had written. */
@ExtendWith(JournalFixture.Extension.class)
class WriterPauseTest {
    private static final String ID = "cart|1";

    private final JournalFixture journal;
    private final FaultProxy proxy;
    private final AtomicLong time = new AtomicLong();
    private volatile Instant now = Instant.parse("2030-01-01T00:00:00Z");

    WriterPauseTest(JournalFixture journal) {
        this.journal = journal;
        this.proxy = journal.proxy();
    }

    private TestStore node(int shards) {
        return journal.node()
                .shards(OptionalInt.of(shards))
                .clock(() -> now)
                .checkWriterAfter(Duration.ofSeconds(5))
                .surroundings(new TestTime(time))
                .build();
    }

    private void pause(Duration duration) {
        time.addAndGet(duration.toNanos());
    }

    private void takeOver(int shards, long first, long last) {
        TestStore other = journal.directNode().shards(OptionalInt.of(shards)).build();
        assertThat(other.highest(ID)).isEqualTo(first - 1);
        other.append(ID, first, last);
        other.delete(ID, last);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10})
    void takeOverWithinALongPause_isNoticed(int shards) {
        TestStore old = node(shards);
        old.append(ID, 1, 90);
        old.appendSingles(ID, 91, 110);
        takeOver(shards, 111, 112);
        pause(Duration.ofSeconds(5).plusNanos(1));
        assertThatThrownBy(() -> old.append(ID, 111, 111))
                .isInstanceOf(WriterConflictException.class)
                .hasMessageContaining(
                        "another writer has stored events up to 112, which may be deleted by now, while this one knew of"
                                + " none after 110");
        assertThat(journal.item(TestStore.KEYS.eventKey(ID, 111))).isEmpty();
        assertThat(old.highest(ID)).isEqualTo(112);
    }

    @Test
    void takeOverWithinALongPause_isNoticed_alsoByAWriterWhoseEventsWereRejectedMeanwhile() {
        TestStore old = node(1);
        old.append(ID, 1, 10);
        takeOver(1, 11, 11);
        pause(Duration.ofSeconds(6));
        assertThatThrownBy(() -> old.append(ID, 12, 12))
                .isInstanceOf(WriterConflictException.class)
                .hasMessageContaining("Event 12 of 'cart|1' was not written: another writer has stored events up to 11,"
                        + " which may be deleted by now, while this one knew of none after 10");
        assertThat(old.highest(ID)).isEqualTo(11);
    }

    /** A write that is sent again and again looks once more before it is acknowledged. */
    @Test
    void takeOverWhileAWriteIsSentAgain_isNoticed() {
        TestStore old = node(1);
        old.append(ID, 1, 10);
        pause(Duration.ofSeconds(6));
        Gate put = proxy.hold(RequestMatch.operation("PutItem"));
        CompletableFuture<?> append = old.appendAsync(ID, old.write(ID, 11, 11)).toCompletableFuture();
        put.awaitArrival();
        takeOver(1, 11, 12);
        pause(Duration.ofSeconds(7));
        put.releaseAll();
        assertThatThrownBy(append::join)
                .hasCauseInstanceOf(WriterConflictException.class)
                .hasMessageContaining(
                        "Event 11 of 'cart|1' is not acknowledged, though it was written: another writer has stored"
                                + " events up to 12 meanwhile, and deleted them");
        assertThat(old.highest(ID)).isEqualTo(12);
    }

    @Test
    void slowWrite_looksAtTheLowMarkOnce_andIsAcknowledgedIfNobodyWasThere() {
        TestStore store = node(1);
        store.append(ID, 1, 10);
        proxy.requests().clear();
        Gate put = proxy.hold(RequestMatch.operation("PutItem").times(1));
        CompletableFuture<?> append =
                store.appendAsync(ID, store.write(ID, 11, 11)).toCompletableFuture();
        put.awaitArrival();
        pause(Duration.ofSeconds(7));
        put.releaseAll();
        append.join();
        store.append(ID, 12, 12);
        assertThat(proxy.requests().operations()).containsExactly("PutItem", "BatchGetItem(1)", "PutItem");
    }

    /** What remains of the exception that the README names. */
    @Test
    void takeOverWithinAShortPause_isNotNoticed() {
        TestStore old = node(1);
        old.append(ID, 1, 10);
        takeOver(1, 11, 12);
        pause(Duration.ofSeconds(5));
        old.append(ID, 11, 11);
        old.append(ID, 12, 12);
        old.append(ID, 13, 13);
        assertThat(journal.directNode().build().recover(ID).stream().map(Event::writer))
                .as("11 and 12 are below the low mark, 13 is replayed")
                .containsExactly(old.writer());
    }

    @Test
    void afterAPauseInWhichNobodyWasThere_theWriterGoesOn() {
        TestStore store = node(1);
        store.append(ID, 1, 10);
        store.delete(ID, 10);
        pause(Duration.ofHours(1));
        proxy.requests().clear();
        store.append(ID, 11, 11);
        store.append(ID, 12, 12);
        assertThat(proxy.requests().operations()).containsExactly("BatchGetItem(1)", "PutItem", "PutItem");
    }

    @Test
    void recovery_isNoPause() {
        node(1).append(ID, 1, 10);
        TestStore store = node(1);
        pause(Duration.ofHours(1));
        store.highest(ID);
        proxy.requests().clear();
        store.append(ID, 11, 11);
        assertThat(proxy.requests().operations()).containsExactly("PutItem");
    }

    @Test
    void clockThatIsSet_isNoPause() {
        TestStore store = node(1);
        store.append(ID, 1, 10);
        now = now.plus(Duration.ofDays(1));
        proxy.requests().clear();
        store.append(ID, 11, 11);
        now = now.minus(Duration.ofDays(2));
        pause(Duration.ofSeconds(6));
        store.append(ID, 12, 12);
        assertThat(proxy.requests().operations()).containsExactly("PutItem", "BatchGetItem(1)", "PutItem");
    }
}
