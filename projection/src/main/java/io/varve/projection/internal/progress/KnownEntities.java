package io.varve.projection.internal.progress;

import io.varve.store.internal.offset.EntityRow;
import io.varve.store.internal.offset.LastProcessed;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

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

    /** Keeps entities until they are released; returns those that must be loaded before, parked ones each time. */
    Set<String> hold(Set<String> persistenceIds) {
        Set<String> missing = new HashSet<>();
        for (String persistenceId : persistenceIds) {
            EntityProgress entity = byId.get(persistenceId);
            if (entity == null || entity.isParked()) {
                missing.add(persistenceId);
            } else {
                entity.hold();
            }
        }
        return missing;
    }

    /** What {@link #hold} asked for; an entity without a row has processed nothing. */
    void loaded(
            Set<String> asked,
            Map<String, EntityRow> found,
            Set<String> again,
            Function<String, SliceProgress> slices) {
        for (String persistenceId : asked) {
            EntityRow row = found.getOrDefault(
                    persistenceId, new EntityRow(new LastProcessed(persistenceId, 0, 0), Optional.empty()));
            EntityProgress before = byId.get(persistenceId);
            if (before == null) {
                byId.put(
                        persistenceId,
                        new EntityProgress(slices.apply(persistenceId), row, again.contains(persistenceId)));
            } else {
                before.load(row, again.contains(persistenceId));
                before.hold();
            }
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

    /** The number of the event of an entity that is processed last; absent if it is not kept. */
    OptionalLong reached(String persistenceId) {
        EntityProgress entity = byId.get(persistenceId);
        return entity == null ? OptionalLong.empty() : OptionalLong.of(entity.reached());
    }

    /** Does something with an entity, unless it was forgotten: an event that fills a gap does not keep it. */
    void ifKnown(String persistenceId, Consumer<EntityProgress> action) {
        EntityProgress entity = byId.get(persistenceId);
        if (entity != null) {
            action.accept(entity);
        }
    }

    /** Whether events of an entity are under way. */
    boolean hasOpenEvents(String persistenceId) {
        EntityProgress entity = byId.get(persistenceId);
        return entity != null && entity.hasOpenEvents();
    }

    /** Whether the events of an entity are processed again from the first one on. */
    boolean isAppliedAgain(String persistenceId) {
        EntityProgress entity = byId.get(persistenceId);
        return entity != null && entity.isAppliedAgain();
    }

    /** The timestamp of the last event of an entity that is known to be stored; 0 if none is. */
    long storedTo(String persistenceId) {
        EntityProgress entity = byId.get(persistenceId);
        return entity == null ? 0 : entity.storedTo();
    }

    /** Whether what is stored next of an entity has others before it that were passed over. */
    boolean passesOver(String persistenceId) {
        EntityProgress entity = byId.get(persistenceId);
        return entity != null && entity.passesOver();
    }

    /** Forgets those that are too old or too many, as far as nobody uses them. */
    void forget() {
        Iterator<EntityProgress> oldest = byId.values().iterator();
        while (oldest.hasNext()) {
            EntityProgress entity = oldest.next();
            boolean surplus = entity.isOlderThan(timeWindow) || byId.size() > maxEntities;
            if (!surplus || entity.isInUse()) {
                return;
            }
            oldest.remove();
        }
    }
}
