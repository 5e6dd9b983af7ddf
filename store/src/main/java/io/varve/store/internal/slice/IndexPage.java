package io.varve.store.internal.slice;

import io.varve.store.internal.layout.Event;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * What was read of a shard, in the order of the index.
 *
 * @param from where reading began
 * @param end where to go on
 * @param more whether there was more up to the bound
 */
record IndexPage(IndexCursor from, List<Entry> entries, IndexCursor end, boolean more) {
    private static final Comparator<Event> ORDER = Comparator.comparingLong(Event::timestamp)
            .thenComparing(Event::persistenceId)
            .thenComparingLong(Event::sequenceNumber);

    /**
     * An entry of the index.
     *
     * @param key what {@code ExclusiveStartKey} takes
     * @param event absent for what another journal has stored
     */
    record Entry(long timestamp, Map<String, AttributeValue> key, Optional<Event> event) {
        IndexCursor cursor() {
            return new IndexCursor(timestamp, Optional.of(key));
        }
    }

    /** All that is there from a cursor on. */
    static IndexPage complete(IndexCursor from, List<Entry> entries) {
        return new IndexPage(
                from,
                entries,
                entries.isEmpty() ? from : entries.get(entries.size() - 1).cursor(),
                false);
    }

    /** The events, sorted. */
    List<Event> events() {
        return entries.stream()
                .flatMap(entry -> entry.event().stream())
                .sorted(ORDER)
                .toList();
    }

    /**
     * What a request from another cursor, up to another timestamp, would have found at the same moment. Absent if that cannot be
     * told: it begins before this page or beyond its end, or between entries of one microsecond that have no order known here.
     */
    Optional<IndexPage> as(IndexCursor start, long until) {
        int last = firstOf(entry -> entry.timestamp() > until);
        boolean all = last == entries.size();
        if (more && all) {
            return start.equals(from) ? Optional.of(this) : Optional.empty();
        }
        return begins(start).filter(first -> first <= last).map(first -> complete(start, entries.subList(first, last)));
    }

    /** The number of the first entry after a cursor, if this page tells which one that is. */
    private Optional<Integer> begins(IndexCursor start) {
        if (start.equals(from)) {
            return Optional.of(0);
        }
        int known = start.item().isEmpty()
                ? entries.size()
                : firstOf(entry -> start.item().get().equals(entry.key()));
        if (known < entries.size()) {
            return Optional.of(known + 1);
        }
        int first = firstOf(entry -> entry.timestamp() >= start.timestamp());
        boolean between = start.item().isPresent()
                && first < entries.size()
                && entries.get(first).timestamp() == start.timestamp();
        return start.timestamp() <= from.timestamp() || between ? Optional.empty() : Optional.of(first);
    }

    private int firstOf(Predicate<Entry> condition) {
        return IntStream.range(0, entries.size())
                .filter(i -> condition.test(entries.get(i)))
                .findFirst()
                .orElse(entries.size());
    }
}
