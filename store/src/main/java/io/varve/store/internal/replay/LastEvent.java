package io.varve.store.internal.replay;

import io.varve.store.internal.async.Loop;
import io.varve.store.internal.layout.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongFunction;
import java.util.stream.LongStream;

/** The last event of several groups. */
final class LastEvent {
    private static final int GROUPS_AT_ONCE = 10;

    private LastEvent() {}

    /** The last event of these groups, a few of which are read at once. */
    static CompletionStage<Optional<Event>> in(
            long highest, long lowest, LongFunction<CompletionStage<Optional<Event>>> read) {
        return Loop.find(
                () -> LongStream.iterate(highest, top -> top >= lowest, top -> top - GROUPS_AT_ONCE)
                        .iterator(),
                top -> of(down(top, Math.max(lowest, top - GROUPS_AT_ONCE + 1)), read));
    }

    /** The last event of groups that are named in descending order, all of which are read at once. */
    static CompletionStage<Optional<Event>> of(
            List<Long> descending, LongFunction<CompletionStage<Optional<Event>>> read) {
        CompletionStage<Optional<Event>> best = CompletableFuture.completedFuture(Optional.empty());
        for (long group : descending) {
            best = best.thenCombine(read.apply(group), (higher, found) -> higher.or(() -> found));
        }
        return best;
    }

    /** The groups from one down to another. */
    static List<Long> down(long highest, long lowest) {
        List<Long> groups = new ArrayList<>();
        for (long group = highest; group >= lowest; group--) {
            groups.add(group);
        }
        return groups;
    }
}
