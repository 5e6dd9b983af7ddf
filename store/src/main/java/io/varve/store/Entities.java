package io.varve.store;

import io.varve.store.layout.Head;
import io.varve.store.replay.Tail;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * What the store remembers of entities between calls. All of it is bounded, and all of it can be forgotten: it is then read
 * again.
 */
final class Entities {
    private static final int MAX_HEADS = 100_000;
    private static final int MAX_TAILS = 100;
    private static final Duration TAIL_LIFETIME = Duration.ofSeconds(10);

    private final InstantSource clock;
    private final Map<String, Head> heads = leastRecentlyUsed(MAX_HEADS);
    private final Map<String, Long> cleanTo = leastRecentlyUsed(MAX_HEADS);
    private final Map<String, Tail> tails = leastRecentlyUsed(MAX_TAILS);
    private final Map<String, CompletableFuture<?>> writes = new HashMap<>();

    Entities(InstantSource clock) {
        this.clock = clock;
    }

    /** A write has begun; it ends with the stage. */
    void writing(String persistenceId, CompletableFuture<?> write) {
        synchronized (this) {
            writes.put(persistenceId, write);
        }
        write.whenComplete((done, thrown) -> {
            synchronized (this) {
                writes.remove(persistenceId, write);
            }
        });
    }

    /** Completes when the entity's write under way has ended, well or not. */
    synchronized CompletionStage<?> written(String persistenceId) {
        CompletableFuture<?> write = writes.get(persistenceId);
        return write == null ? CompletableFuture.completedFuture(null) : write.handle((done, thrown) -> true);
    }

    synchronized Optional<Head> head(String persistenceId) {
        return Optional.ofNullable(heads.get(persistenceId));
    }

    synchronized void stored(String persistenceId, Head head) {
        heads.put(persistenceId, head);
        tails.remove(persistenceId);
    }

    synchronized void forget(String persistenceId) {
        heads.remove(persistenceId);
        tails.remove(persistenceId);
    }

    /** Keeps what was read for the replay that follows at once, if it follows. */
    synchronized void recovering(String persistenceId, Tail tail) {
        // One that was asked long ago may be answered after events were stored.
        heads.merge(
                persistenceId,
                tail.head(),
                (known, read) -> read.sequenceNumber() < known.sequenceNumber() ? known : read);
        dropOldTails();
        tails.put(persistenceId, tail);
    }

    synchronized Optional<Tail> takeTail(String persistenceId) {
        dropOldTails();
        return Optional.ofNullable(tails.remove(persistenceId));
    }

    private void dropOldTails() {
        Instant oldest = clock.instant().minus(TAIL_LIFETIME);
        tails.values().removeIf(tail -> tail.readAt().isBefore(oldest));
    }

    /** Up to where nothing is left of the entity's deleted events, as far as is known here. */
    synchronized long cleanTo(String persistenceId) {
        @Nullable Long known = cleanTo.get(persistenceId);
        return known == null ? 0 : known;
    }

    synchronized void cleaned(String persistenceId, long to) {
        cleanTo.put(persistenceId, to);
    }

    private static <V> Map<String, V> leastRecentlyUsed(int limit) {
        return new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
                return size() > limit;
            }
        };
    }
}
