package io.varve.store.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.VarveException;
import io.varve.store.internal.append.AppendRequest;
import io.varve.store.internal.append.AppendRequest.NewEvent;
import io.varve.store.internal.append.AppendResult;
import io.varve.store.internal.async.Causes;
import io.varve.store.internal.layout.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * What an entity's writers tried and what they were told, and the one check of all fault tests: every acknowledged event is
 * recovered exactly once and in order, nothing that was not acknowledged has overwritten anything, and an atomic write is seen
 * whole or not at all.
 */
final class History {
    private final String persistenceId;
    private final Map<Long, String> acknowledged = new TreeMap<>();
    private final List<AppendRequest> tried = new ArrayList<>();
    private long deletedTo;

    History(String persistenceId) {
        this.persistenceId = persistenceId;
    }

    /** Appends, and notes what came of it; true if it was acknowledged. */
    boolean append(TestStore store, AppendRequest write) {
        return TestStore.await(appendAsync(store, write));
    }

    boolean append(TestStore store, long first, long last) {
        return TestStore.await(appendAsync(store, first, last));
    }

    /** As the other one, without waiting: several may be under way. */
    CompletionStage<Boolean> appendAsync(TestStore store, long first, long last) {
        List<NewEvent> events = new ArrayList<>();
        for (long n = first; n <= last; n++) {
            events.add(store.event(n, store.writer() + "/" + tried.size() + "/" + n));
        }
        return appendAsync(store, new AppendRequest(persistenceId, events));
    }

    private CompletionStage<Boolean> appendAsync(TestStore store, AppendRequest write) {
        tried.add(write);
        return store.appendAsync(persistenceId, write).handle((results, thrown) -> {
            if (thrown != null && !(Causes.unwrap(thrown) instanceof VarveException)) {
                throw new CompletionException(thrown);
            }
            boolean stored = thrown == null && results.get(0) instanceof AppendResult.Stored;
            if (stored) {
                acknowledge(write);
            }
            return stored;
        });
    }

    private synchronized void acknowledge(AppendRequest write) {
        for (NewEvent event : write.events()) {
            String before = acknowledged.put(
                    event.sequenceNumber(), event.payload().bytes().asUtf8String());
            assertThat(before)
                    .as("event %d was acknowledged to two writers", event.sequenceNumber())
                    .isNull();
        }
    }

    /** Notes that a deletion up to there was asked for: from then on these events may or may not be recovered. */
    void deleting(long to) {
        deletedTo = Math.max(deletedTo, to);
    }

    long highestAcknowledged() {
        return acknowledged.keySet().stream().mapToLong(n -> n).max().orElse(0);
    }

    /** Recovers and checks; the recovered events for further questions. */
    List<Event> check(TestStore store) {
        List<Event> recovered = store.recover(persistenceId);
        Map<Long, String> seen = new TreeMap<>();
        long last = 0;
        for (Event event : recovered) {
            assertThat(event.sequenceNumber())
                    .as("recovered in order, each once")
                    .isGreaterThan(last);
            last = event.sequenceNumber();
            seen.put(last, TestStore.text(event));
        }
        acknowledged.forEach((number, text) -> {
            if (number > deletedTo || seen.containsKey(number)) {
                assertThat(seen)
                        .as("acknowledged event %d is recovered as it was written", number)
                        .containsEntry(number, text);
            }
        });
        for (AppendRequest write : tried) {
            List<NewEvent> events = write.events();
            long there = events.stream()
                    .filter(e -> e.payload().bytes().asUtf8String().equals(seen.get(e.sequenceNumber())))
                    .count();
            long expected =
                    events.stream().filter(e -> e.sequenceNumber() > deletedTo).count();
            assertThat(there == 0 || there >= expected)
                    .as(
                            "the atomic write %d..%d is seen whole or not at all, not %d of it",
                            events.get(0).sequenceNumber(),
                            events.get(events.size() - 1).sequenceNumber(),
                            there)
                    .isTrue();
        }
        assertThat(store.highest(persistenceId)).isGreaterThanOrEqualTo(Math.max(last, highestAcknowledged()));
        return recovered;
    }
}
