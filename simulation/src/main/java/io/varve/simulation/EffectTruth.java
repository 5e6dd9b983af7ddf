package io.varve.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a projection was promised: each event has its effect in order, and none is left out; but those that somebody has taken back
 * or passed over by setting the offset. With exactly-once, each has it once. With at-least-once an event comes again only to another
 * instance, which has begun after what was stored.
 *
 * <p>It hears of effects when DynamoDB stores them. Times are in nanoseconds since the beginning, timestamps in microseconds.
 */
final class EffectTruth {
    /** An offset that was set by hand: from when to when, and to which timestamp. */
    private static final class Set {
        private final long begun;
        private final long timestamp;
        private long ended = Long.MAX_VALUE;

        Set(long begun, long timestamp) {
            this.begun = begun;
            this.timestamp = timestamp;
        }
    }

    private record Effect(String instance, long number, long timestamp, long at) {}

    /** The effects of an entity: in their order, and the first and the last of each number. */
    private static final class Log {
        private final List<Effect> all = new ArrayList<>();
        private final Map<Long, Effect> first = new HashMap<>();
        private final Map<Long, Effect> last = new HashMap<>();
        /** What the row of the entity stands for: it has not expired since. */
        private final Map<Long, Effect> remembered = new HashMap<>();

        /** What each instance has handled last. */
        private final Map<String, Long> byInstance = new HashMap<>();

        /** When a handler was last given what, whatever became of it. */
        private final Map<Long, Long> handed = new HashMap<>();

        void add(Effect effect) {
            all.add(effect);
            first.putIfAbsent(effect.number, effect);
            last.put(effect.number, effect);
            remembered.put(effect.number, effect);
        }
    }

    /** A row ends so much earlier than its effect says: clocks are wrong, and the request may have been on its way for long. */
    private static final long INACCURATE = Duration.ofSeconds(25).toNanos();

    private final String name;
    private final Map<String, EntityTruth> entities = new LinkedHashMap<>();
    private final Visibility visibility;
    private final Shape shape;
    private final DroppingAdapter adapter;
    private final long remembered;
    private final Map<String, Log> logs = new HashMap<>();
    private final List<Set> sets = new ArrayList<>();
    /** What instances have found that have started after an offset was set. */
    private final Map<String, Set> foundBy = new HashMap<>();

    /** @param timeToLive how long the row of an entity says what was processed; a projection that is behind for longer may repeat it */
    EffectTruth(
            String name,
            List<EntityTruth> entities,
            Visibility visibility,
            Shape shape,
            DroppingAdapter adapter,
            Optional<Duration> timeToLive) {
        this.name = name;
        entities.forEach(entity -> this.entities.put(entity.entity(), entity));
        this.visibility = visibility;
        this.shape = shape;
        this.adapter = adapter;
        this.remembered = timeToLive.map(time -> time.toNanos() - INACCURATE).orElse(Long.MAX_VALUE);
    }

    private Log log(String entity) {
        return logs.computeIfAbsent(entity, none -> new Log());
    }

    /** A handler is given an event. From now on it cannot be lost, however late it was. */
    void handed(String entity, long number, long now) {
        log(entity).handed.put(number, now);
    }

    /** Somebody begins to set the offset. */
    void setting(long timestamp, long now) {
        sets.add(new Set(now, timestamp));
    }

    /** The last offset is set. */
    void set(long now) {
        sets.forEach(set -> set.ended = Math.min(set.ended, now));
    }

    /** An instance starts: what was set before holds for it. */
    void started(String instance, long now) {
        sets.stream()
                .filter(set -> set.ended <= now)
                .reduce((one, next) -> next)
                .ifPresent(set -> foundBy.put(instance, set));
    }

    private void notPassedOver(String instance, String entity, long number, long timestamp) {
        @Nullable Set found = foundBy.get(instance);
        require(
                found == null || timestamp >= found.timestamp,
                entity,
                "has the effect of " + number + " by " + instance + ", though the offset had been set to after it");
    }

    /** An effect was stored. */
    void applied(String instance, String entity, long number, long timestamp, long now) {
        notPassedOver(instance, entity, number, timestamp);
        Log log = log(entity);
        Effect next = new Effect(instance, number, timestamp, now);
        if (!log.all.isEmpty()) {
            Effect before = log.all.get(log.all.size() - 1);
            boolean expired = now - before.at > remembered;
            if (expired) {
                log.remembered.clear();
            }
            Effect same = log.remembered.get(number);
            require(
                    same == null || isTakenBack(same, next),
                    entity,
                    "has the effect of " + number + " twice, and nobody has taken it back");
            require(
                    expired || before.number < number || isTakenBack(before, next),
                    entity,
                    "has the effect of " + number + " after that of " + before.number);
        }
        log.add(next);
    }

    /** A handler whose progress is stored afterwards has handled an event: perhaps again, but an instance never goes back. */
    void handled(String instance, String entity, long number, long timestamp, long now) {
        notPassedOver(instance, entity, number, timestamp);
        Log log = log(entity);
        long before = log.byInstance.getOrDefault(instance, 0L);
        require(
                before < number,
                entity,
                "was handed " + number + " by the instance " + instance + " that has handled " + before);
        log.byInstance.put(instance, number);
        log.add(new Effect(instance, number, timestamp, now));
    }

    /** Whether somebody has set the offset to before an event that comes again, when the earlier effect was there or was made. */
    private boolean isTakenBack(Effect earlier, Effect next) {
        return sets.stream()
                .anyMatch(set -> set.begun <= next.at && set.ended > earlier.at && set.timestamp <= next.timestamp);
    }

    /** Everything is over, and all events have had time to come. */
    void check() {
        for (EntityTruth entity : entities.values()) {
            Log log = log(entity.entity());
            inOrder(entity, log);
            complete(entity, log);
        }
    }

    /**
     * Before each effect are those of all events before it, however late they were. What somebody has set the offset behind need not
     * be; what was there before the offset was set has to come again before it, if the instance has found what was set.
     */
    private void inOrder(EntityTruth entity, Log log) {
        Map<Long, Long> latest = new HashMap<>();
        Map<Optional<Set>, Long> checkedTo = new HashMap<>();
        for (Effect effect : log.all) {
            Optional<Set> found = Optional.ofNullable(foundBy.get(effect.instance));
            long since = found.map(set -> set.begun).orElse(0L);
            long from = Math.max(
                    passedOver(effect.at), found.map(set -> set.timestamp).orElse(Long.MIN_VALUE));
            for (long number = checkedTo.getOrDefault(found, 0L) + 1; number < effect.number; number++) {
                long timestamp = timestamp(entity, number);
                boolean remembers = remembered == Long.MAX_VALUE || effect.at - timestamp * 1_000 < remembered;
                if (timestamp >= from && (remembers ? isStored(entity, number) : isRequired(entity, number))) {
                    require(
                            latest.getOrDefault(number, -1L) >= (remembers ? since : 0),
                            entity.entity(),
                            "has the effect of " + effect.number + " without that of " + number + " before it");
                }
            }
            latest.put(effect.number, effect.at);
            checkedTo.merge(found, effect.number, Math::max);
        }
    }

    /** The highest timestamp that somebody has set by then, and nobody has set anew: what is before it counts as processed. */
    private long passedOver(long at) {
        long highest = Long.MIN_VALUE;
        for (Set set : sets) {
            if (set.begun <= at) {
                highest = set.ended <= at ? set.timestamp : Math.max(highest, set.timestamp);
            }
        }
        return highest;
    }

    private void complete(EntityTruth entity, Log log) {
        Optional<Set> set = sets.isEmpty() ? Optional.empty() : Optional.of(sets.get(sets.size() - 1));
        long from = set.map(last -> last.timestamp).orElse(Long.MIN_VALUE);
        long since = set.map(last -> last.begun).orElse(0L);
        long settled = set.map(last -> last.ended).orElse(0L);
        for (long number = 1; number <= entity.settled().last(); number++) {
            boolean handed = log.handed.getOrDefault(number, -1L) >= settled && isStored(entity, number);
            if ((handed || isRequired(entity, number)) && timestamp(entity, number) >= from) {
                Effect effect = log.last.get(number);
                require(
                        effect != null && effect.at >= since,
                        entity.entity(),
                        "has no effect of " + number
                                + (set.isPresent() ? ", after the offset was set to before it" : "")
                                + (handed ? ", though a handler had been given it" : ""));
            }
        }
    }

    private long timestamp(EntityTruth entity, long number) {
        return visibility.timestamp(entity.entity(), number);
    }

    private boolean isStored(EntityTruth entity, long number) {
        return number > entity.deletedTo()
                && entity.settled().text(number).isPresent()
                && !adapter.drops(entity.entity(), number);
    }

    private boolean isRequired(EntityTruth entity, long number) {
        return isStored(entity, number)
                && !visibility.isLaterThan(entity.entity(), number, shape.foundIfNotLaterThan());
    }

    private void require(boolean kept, String entity, String what) {
        if (!kept) {
            throw new BrokenPromise("Projection " + name + " of " + entity + " " + what + ".", entity);
        }
    }
}
