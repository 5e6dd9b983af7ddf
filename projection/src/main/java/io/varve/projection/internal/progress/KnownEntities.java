package io.varve.projection.internal.progress;

import io.varve.store.internal.offset.LastProcessed;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/** The entities that are kept in memory: those in use, and of the others the ones used last. */
final class KnownEntities {
    private final long timeWindow;
    private final int maxEntities;
    private final LinkedHashMap<String, EntityProgress> byId = new LinkedHashMap<>(16, 0.75f, true);

    /**
     * @param timeWindow how long after its last event an entity is kept, in microseconds
     * @param maxEntities how many are kept that are not in use
     */
    KnownEntities(long timeWindow, int maxEntities) {
        this.timeWindow = timeWindow;
        this.maxEntities = maxEntities;
    }

    /** Keeps entities until they are released; returns those that must be loaded before. */
    Set<String> hold(Set<String> persistenceIds) {
        Set<String> missing = new HashSet<>();
        for (String persistenceId : persistenceIds) {
            EntityProgress entity = byId.get(persistenceId);
            if (entity == null) {
                missing.add(persistenceId);
            } else {
                entity.hold();
            }
        }
        return missing;
    }

    /** What {@link #hold} asked for; an entity without a row has processed nothing. */
    void loaded(Set<String> asked, Map<String, LastProcessed> found, Function<String, SliceProgress> slices) {
        for (String persistenceId : asked) {
            LastProcessed last = found.getOrDefault(persistenceId, new LastProcessed(persistenceId, 0, 0));
            byId.put(persistenceId, new EntityProgress(slices.apply(persistenceId), last));
        }
    }

    /** One that is held. */
    EntityProgress get(String persistenceId) {
        EntityProgress entity = byId.get(persistenceId);
        if (entity == null) {
            throw new IllegalStateException("The progress of '" + persistenceId + "' is not loaded.");
        }
        return entity;
    }

    /** Does something with an entity, unless it was forgotten: an event that fills a gap does not keep it. */
    void ifKnown(String persistenceId, Consumer<EntityProgress> action) {
        EntityProgress entity = byId.get(persistenceId);
        if (entity != null) {
            action.accept(entity);
        }
    }

    /** Forgets those that are too old or too many, as far as nobody uses them or needs them for something else. */
    void forget(Predicate<String> isNeeded) {
        Iterator<Map.Entry<String, EntityProgress>> oldest = byId.entrySet().iterator();
        while (oldest.hasNext()) {
            Map.Entry<String, EntityProgress> next = oldest.next();
            EntityProgress entity = next.getValue();
            boolean surplus = entity.isOlderThan(timeWindow) || byId.size() > maxEntities;
            if (!surplus || entity.isInUse() || isNeeded.test(next.getKey())) {
                return;
            }
            oldest.remove();
        }
    }
}
