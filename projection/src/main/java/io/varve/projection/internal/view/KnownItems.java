package io.varve.projection.internal.view;

import io.varve.projection.internal.event.Position;
import io.varve.store.internal.offset.Fence;
import io.varve.store.internal.offset.LastProcessed;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The items that were used last. One that has become stale does no harm: what is made of it is not stored. */
final class KnownItems<S> {
    private final int most;
    private final LinkedHashMap<String, Known<S>> byEntity = new LinkedHashMap<>(16, 0.75f, true);

    KnownItems(int most) {
        this.most = most;
    }

    /**
     * An item.
     *
     * @param stored its fence, which the next write demands
     * @param counts whether the item reflects what its fence says; if it does not, it is made anew
     * @param state what the next event is applied to
     * @param overwritten what an item that does not count holds, if it can be read
     * @param made the last event in the state that is to replace it; absent if there is none yet
     * @param unreadable why the state could not be read, if it could not: no event can be applied to it
     */
    record Known<S>(
            Optional<Fence> stored,
            boolean counts,
            S state,
            Optional<S> overwritten,
            Optional<LastProcessed> made,
            Optional<Throwable> unreadable) {

        /** Whether there is an item with that state. */
        boolean isThere() {
            return counts && holdsSomething();
        }

        /** Whether there is an item that is to be made anew. */
        boolean isOverwritten() {
            return !counts && holdsSomething();
        }

        private boolean holdsSomething() {
            return stored.filter(fence -> !fence.removed()).isPresent();
        }

        /** The same, to be made anew: its entity has begun anew. */
        Known<S> anew(S empty) {
            Optional<S> before = isThere() && unreadable.isEmpty() ? Optional.of(state) : overwritten;
            return new Known<>(stored, false, empty, before, Optional.empty(), Optional.empty());
        }

        /** The same, with more events in the state that is to replace it. */
        Known<S> with(S next, LastProcessed last) {
            return new Known<>(stored, false, next, overwritten, Optional.of(last), Optional.empty());
        }

        private Optional<LastProcessed> last() {
            return counts ? stored.map(Fence::reflects) : made;
        }

        /** The number of the last event in the state; 0 if there is none. */
        long number() {
            return last().map(LastProcessed::sequenceNumber).orElse(0L);
        }

        /**
         * Whether an event is in the state, or was left out. Timestamps increase within an entity, so that one with a higher number
         * and a lower timestamp is left of an earlier life.
         */
        boolean reflects(Position event) {
            return event.sequenceNumber() <= number()
                    ? event.timestamp() <= timestamp()
                    : event.timestamp() > 0 && event.timestamp() < timestamp();
        }

        /** The timestamp of that event. */
        long timestamp() {
            return last().map(LastProcessed::timestamp).orElse(0L);
        }
    }

    synchronized Optional<Known<S>> find(String persistenceId) {
        return Optional.ofNullable(byEntity.get(persistenceId));
    }

    synchronized void put(String persistenceId, Known<S> item) {
        byEntity.put(persistenceId, item);
        if (byEntity.size() > most) {
            Map.Entry<String, Known<S>> oldest = byEntity.entrySet().iterator().next();
            byEntity.remove(oldest.getKey());
        }
    }

    synchronized void forget(String persistenceId) {
        byEntity.remove(persistenceId);
    }
}
