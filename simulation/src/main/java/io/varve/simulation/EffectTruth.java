package io.varve.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What an exactly-once projection was promised: each event has its effect once and in order, and none is left out; but those that
 * somebody has taken back or passed over by setting the offset.
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

    private record Effect(long number, long timestamp, long at) {}

    private final String name;
    private final Map<String, EntityTruth> entities = new HashMap<>();
    private final Visibility visibility;
    private final Map<String, List<Effect>> effects = new HashMap<>();
    private final List<Set> sets = new ArrayList<>();

    EffectTruth(String name, List<EntityTruth> entities, Visibility visibility) {
        this.name = name;
        entities.forEach(entity -> this.entities.put(entity.entity(), entity));
        this.visibility = visibility;
    }

    /** Somebody begins to set the offset. */
    void setting(long timestamp, long now) {
        sets.add(new Set(now, timestamp));
    }

    /** The last offset is set. */
    void set(long now) {
        sets.forEach(set -> set.ended = Math.min(set.ended, now));
    }

    /** An effect was stored. */
    void applied(String entity, long number, long timestamp, long now) {
        List<Effect> before = effects.computeIfAbsent(entity, none -> new ArrayList<>());
        Effect next = new Effect(number, timestamp, now);
        for (Effect effect : before) {
            if (effect.number == number) {
                require(
                        isTakenBack(effect, next),
                        entity,
                        "has the effect of " + number + " twice, and nobody has taken it back");
            }
        }
        if (!before.isEmpty()) {
            Effect last = before.get(before.size() - 1);
            require(
                    last.number < number || isTakenBack(last, next),
                    entity,
                    "has the effect of " + number + " after that of " + last.number);
        }
        before.add(next);
    }

    /** Whether somebody has set the offset to before an event that comes again, when the earlier effect was there or was made. */
    private boolean isTakenBack(Effect earlier, Effect next) {
        return sets.stream()
                .anyMatch(set -> set.begun <= next.at && set.ended > earlier.at && set.timestamp <= next.timestamp);
    }

    /** How many effects there are. */
    int count() {
        return effects.values().stream().mapToInt(List::size).sum();
    }

    /** Everything is over, and all events have had time to come. */
    void check() {
        for (EntityTruth entity : entities.values()) {
            List<Effect> log = effects.getOrDefault(entity.entity(), List.of());
            inOrder(entity, log);
            complete(entity, log);
        }
    }

    /** Between two effects that follow each other nothing was left out. */
    private void inOrder(EntityTruth entity, List<Effect> log) {
        long last = 0;
        for (Effect effect : log) {
            for (long number = last + 1; number < effect.number; number++) {
                if (isRequired(entity, number) && timestamp(entity, number) >= passedOver(effect.at)) {
                    require(
                            isAppliedBefore(log, number, effect),
                            entity.entity(),
                            "has the effect of " + effect.number + " without that of " + number + " before it");
                }
            }
            last = effect.number;
        }
    }

    private static boolean isAppliedBefore(List<Effect> log, long number, Effect effect) {
        return log.stream().anyMatch(other -> other.number == number && other.at <= effect.at);
    }

    /** The highest timestamp that somebody has set by then: what is before it counts as processed. */
    private long passedOver(long at) {
        return sets.stream()
                .filter(set -> set.begun <= at)
                .mapToLong(set -> set.timestamp)
                .max()
                .orElse(Long.MIN_VALUE);
    }

    private void complete(EntityTruth entity, List<Effect> log) {
        Optional<Set> last = sets.isEmpty() ? Optional.empty() : Optional.of(sets.get(sets.size() - 1));
        for (long number = 1; number <= entity.settled().last(); number++) {
            long n = number;
            long timestamp = timestamp(entity, number);
            if (isRequired(entity, number)
                    && timestamp >= last.map(set -> set.timestamp).orElse(Long.MIN_VALUE)) {
                require(
                        log.stream()
                                .anyMatch(effect -> effect.number == n
                                        && effect.at
                                                >= last.map(set -> set.begun).orElse(0L)),
                        entity.entity(),
                        "has no effect of " + number
                                + (last.isPresent() ? ", after the offset was set to before it" : ""));
            }
        }
    }

    private long timestamp(EntityTruth entity, long number) {
        return visibility.timestamp(entity.entity(), number);
    }

    private boolean isRequired(EntityTruth entity, long number) {
        return number > entity.deletedTo()
                && entity.settled().text(number).isPresent()
                && !visibility.isLaterThan(entity.entity(), number, ConsumerTruth.SAFE);
    }

    private void require(boolean kept, String entity, String what) {
        if (!kept) {
            throw new BrokenPromise("Projection " + name + " of " + entity + " " + what + ".", entity);
        }
    }
}
