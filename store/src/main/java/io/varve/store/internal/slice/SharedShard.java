package io.varve.store.internal.slice;

import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A shard of the index that live queries of one node read, each of its passes together. A query alone reads as if there was none. */
final class SharedShard {
    private final SliceIndex index;
    private final Key key;
    private final Map<Integer, SharedPass> passes = new ConcurrentHashMap<>();
    private final AtomicInteger queries = new AtomicInteger();

    SharedShard(SliceIndex index, Key key) {
        this.index = index;
        this.key = key;
    }

    /** Which one it is. */
    record Key(String entityType, int shard) {}

    void joined() {
        queries.incrementAndGet();
    }

    /** Whether no query is left. */
    boolean left() {
        int remaining = queries.decrementAndGet();
        if (remaining <= 1) {
            passes.values().forEach(SharedPass::forget);
        }
        return remaining == 0;
    }

    /** The next page of a pass, whose turn came at {@code due}. */
    CompletionStage<SharedPass.Answer> read(int pass, IndexCursor from, long until, int limit, long due, long now) {
        SharedPass.Requests requests = (start, end) -> index.read(key.entityType(), key.shard(), start, end, limit);
        return queries.get() == 1
                ? requests.send(from, until).thenApply(page -> new SharedPass.Answer(page, until, now))
                : passes.computeIfAbsent(pass, none -> new SharedPass()).read(from, until, due, now, requests);
    }

    /** This query reads it no more. */
    void leave() {
        index.leave(key);
    }
}
