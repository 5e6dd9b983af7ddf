package io.varve.store.internal.slice;

import io.varve.store.SliceRange;
import io.varve.store.Slices;
import io.varve.store.internal.async.Concurrently;
import io.varve.store.internal.async.Loop;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.EventId;
import io.varve.store.internal.layout.Microseconds;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/**
 * Looks at both ends of what a consumer of slices has yet to read: what comes next, and what is the newest.
 */
public final class SliceBacklog {
    /** How many pages of a shard are looked at, back from the newest. */
    private static final int PAGES = 20;

    private static final int PARALLEL = 16;
    /** Clocks of writers can be ahead by this much. */
    private static final Duration AHEAD = Duration.ofMinutes(1);

    private final SliceIndex index;
    private final InstantSource clock;

    public SliceBacklog(SliceIndex index, InstantSource clock) {
        this.index = index;
        this.clock = clock;
    }

    /** Whether an event was handled. */
    @FunctionalInterface
    public interface Handled {
        boolean is(Event event);
    }

    /**
     * What waits in those slices of a shard that are asked for.
     *
     * @param events how many were found
     * @param more whether there are more
     * @param oldest the timestamp of the oldest, in microseconds
     */
    public record Waiting(SliceRange slices, int events, boolean more, OptionalLong oldest) {}

    /**
     * What waits in a range, for each shard.
     *
     * @param from by slice, from which timestamp on events may not be handled
     * @param limit how many entries of a shard are looked at
     */
    public CompletionStage<List<Waiting>> waiting(
            SliceRange range, ToLongFunction<SliceRange> from, Handled handled, int limit) {
        long until = until();
        return eachShard(
                range,
                (shard, slices) -> index.read(
                                range.entityType(), shard, IndexCursor.at(from.applyAsLong(slices)), until, limit)
                        .thenApply(page -> {
                            List<Event> waiting = page.events().stream()
                                    .filter(event -> counts(event, slices) && !handled.is(event))
                                    .toList();
                            return new Waiting(
                                    slices,
                                    waiting.size(),
                                    page.more(),
                                    waiting.stream().mapToLong(Event::timestamp).min());
                        }));
    }

    /**
     * The newest events of those slices of a shard that are asked for.
     *
     * @param bySlice the newest of each slice that was found
     * @param complete whether all slices that have events were found
     * @param newest the timestamp of the newest entry of the shard, in microseconds
     */
    public record Newest(SliceRange slices, Map<Integer, Event> bySlice, boolean complete, long newest) {}

    /**
     * The newest events of a range, for each shard. It looks back until all slices are found, and for at least {@code window}, but at
     * no more than {@link #PAGES}. Those of an atomic write whose end is not there are left out: it is not stored.
     *
     * @param limit how many entries of a shard are looked at by one request
     */
    public CompletionStage<List<Newest>> newest(SliceRange range, Duration window, int limit) {
        long until = until();
        return eachShard(range, (shard, slices) -> {
            LookingBack looking = new LookingBack(slices, Microseconds.of(window));
            return Loop.repeat(
                            looking::goesOn,
                            () -> index.newest(range.entityType(), shard, looking.last, until, limit)
                                    .thenAccept(looking::add))
                    .thenApply(done -> looking.result());
        });
    }

    /** Reads a shard backwards. */
    private final class LookingBack {
        private final SliceRange slices;
        private final long window;
        private final Set<EventId> ends = new HashSet<>();
        private final Map<Integer, Event> bySlice = new HashMap<>();
        private Optional<IndexPage> last = Optional.empty();
        private long newest;
        private int pages;

        LookingBack(SliceRange slices, long window) {
            this.slices = slices;
            this.window = window;
        }

        boolean goesOn() {
            return last.isEmpty()
                    || (last.get().more()
                            && pages < PAGES
                            && !isEverySliceFound()
                            && last.get().end().timestamp() > newest - window);
        }

        private boolean isEverySliceFound() {
            return bySlice.size() == slices.max() - slices.min() + 1;
        }

        void add(IndexPage page) {
            page.events().forEach(event -> ends.add(new EventId(event.persistenceId(), event.sequenceNumber())));
            page.events().stream()
                    .filter(event -> counts(event, slices)
                            && ends.contains(new EventId(event.persistenceId(), event.batchEnd())))
                    .forEach(event -> bySlice.merge(
                            Slices.of(event.persistenceId()),
                            event,
                            (one, other) -> one.timestamp() > other.timestamp() ? one : other));
            newest = Math.max(
                    newest,
                    page.events().stream().mapToLong(Event::timestamp).max().orElse(0));
            last = Optional.of(page);
            pages++;
        }

        Newest result() {
            return new Newest(
                    slices, bySlice, isEverySliceFound() || !last.orElseThrow().more(), newest);
        }
    }

    private boolean counts(Event event, SliceRange slices) {
        return !event.placeholder() && slices.contains(event.persistenceId()) && !event.isExpired(clock.instant());
    }

    private interface OfShard<T> {
        CompletionStage<T> ask(int shard, SliceRange slices);
    }

    private <T> CompletionStage<List<T>> eachShard(SliceRange range, OfShard<T> question) {
        List<Integer> shards = IntStream.rangeClosed(index.shardOf(range.min()), index.shardOf(range.max()))
                .boxed()
                .toList();
        ConcurrentLinkedQueue<T> answers = new ConcurrentLinkedQueue<>();
        return Concurrently.run(
                        shards,
                        PARALLEL,
                        shard ->
                                question.ask(shard, index.inShard(range, shard)).thenAccept(answers::add))
                .thenApply(done -> List.copyOf(answers));
    }

    private long until() {
        return Microseconds.of(clock.instant().plus(AHEAD));
    }
}
