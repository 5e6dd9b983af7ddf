package io.varve.store.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.internal.append.AppendRequest;
import io.varve.store.internal.append.AppendRequest.NewEvent;
import java.util.AbstractSet;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Whatever way a write takes, each of its events becomes an item once; the tags of the events count how often they are read. */
@ExtendWith(JournalFixture.Extension.class)
class EncodedOnceTest {
    private static final String ID = "cart|1";

    private final JournalFixture journal;
    private final List<CountedTags> tags = new ArrayList<>();

    EncodedOnceTest(JournalFixture journal) {
        this.journal = journal;
    }

    private static final class CountedTags extends AbstractSet<String> {
        private final AtomicInteger encodings = new AtomicInteger();

        @Override
        public Iterator<String> iterator() {
            encodings.incrementAndGet();
            return Set.of("tag").iterator();
        }

        @Override
        public int size() {
            return 1;
        }
    }

    private NewEvent event(TestStore store, long number, int bytes) {
        CountedTags counted = new CountedTags();
        tags.add(counted);
        return new NewEvent(
                number, TestStore.payload("x".repeat(bytes)), store.writer(), "", Optional.empty(), counted);
    }

    private AppendRequest write(TestStore store, long first, long last, int bytes) {
        return new AppendRequest(
                ID,
                LongStream.rangeClosed(first, last)
                        .mapToObj(n -> event(store, n, bytes))
                        .toList());
    }

    private void assertEncodedOnce(TestStore store, AppendRequest... writes) {
        TestStore.await(store.appendAsync(ID, writes));
        assertThat(tags).extracting(counted -> counted.encodings.get()).containsOnly(1);
        assertThat(store.recover(ID)).hasSize(tags.size());
    }

    @Test
    void oneEvent_isEncodedOnce() {
        TestStore store = journal.directNode().build();
        assertEncodedOnce(store, write(store, 1, 1, 10));
    }

    @Test
    void aTransaction_isEncodedOnce() {
        TestStore store = journal.directNode().build();
        assertEncodedOnce(store, write(store, 1, 50, 10));
    }

    @Test
    void aChainOfTransactions_isEncodedOnce() {
        TestStore store = journal.directNode().build();
        assertEncodedOnce(store, write(store, 1, 150, 10));
    }

    @Test
    void aChainBecauseOfItsBytes_isEncodedOnce() {
        TestStore store = journal.directNode().build();
        assertEncodedOnce(store, write(store, 1, 12, 380_000));
    }

    @Test
    void aBatch_isEncodedOnce() {
        TestStore store = journal.directNode().marked().build();
        assertEncodedOnce(store, write(store, 1, 30, 10));
    }

    @Test
    void aChainBehindJoinedWrites_isEncodedOnce() {
        TestStore store = journal.directNode().build();
        assertEncodedOnce(
                store,
                write(store, 1, 1, 10),
                write(store, 2, 2, 10),
                write(store, 3, 152, 10),
                write(store, 153, 153, 10),
                write(store, 154, 154, 10));
    }
}
