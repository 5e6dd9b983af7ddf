package io.varve.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What a consumer of a query was promised: every event of interest, those of an entity in order, each once for each run; nothing
 * missing after a restart, but for what the documentation excepts.
 *
 * <p>Which events there are is certain only at the end, so that gaps are judged then.
 */
final class ConsumerTruth {
    /** Backtracking finds what is not later than this, though the consumer's clock may be ahead. */
    static final Duration SAFE = Shape.BEHIND.minusMillis(2_100);

    /** An event that was handled after another, or first: what lies between must not be there, or be handled before. */
    private record Step(EntityTruth entity, long after, long number, long deletedTo, Set<Long> handled) {}

    private final String name;
    private final Map<String, EntityTruth> entities;
    private final Predicate<String> texts;
    private final Visibility visibility;
    private final Map<String, Map<Long, String>> handled = new HashMap<>();
    private final List<Step> steps = new ArrayList<>();
    /** What is older than this, in microseconds since the beginning, may be missing: a long pause has ended with a restart. */
    private long excusedTo;

    /** One that is interested in entities, and in texts. */
    ConsumerTruth(String name, Collection<EntityTruth> entities, Predicate<String> texts, Visibility visibility) {
        this.name = name;
        this.entities = new HashMap<>();
        entities.forEach(entity -> this.entities.put(entity.entity(), entity));
        this.texts = texts;
        this.visibility = visibility;
    }

    /** From a start to the next. */
    final class Run {
        private final Map<String, Long> last = new HashMap<>();

        void handled(String entity, long number, String text) {
            EntityTruth truth = entities.get(entity);
            if (truth == null || !texts.test(text)) {
                throw broken(entity, "got " + number + ": " + text + ", which it has not asked for");
            }
            Optional<Long> before = Optional.ofNullable(last.put(entity, number));
            if (before.isPresent() && before.get() >= number) {
                throw broken(entity, "got " + number + " after " + before.get() + " in one run");
            }
            Map<Long, String> ofEntity = handled.computeIfAbsent(entity, none -> new HashMap<>());
            if (before.orElse(0L) < number - 1) {
                steps.add(new Step(
                        truth, before.orElse(0L), number, truth.deletedTo(), new HashSet<>(ofEntity.keySet())));
            }
            String other = ofEntity.put(number, text);
            if (other != null && !other.equals(text)) {
                throw broken(entity, "got " + number + ": " + text + ", and before that " + other);
            }
        }
    }

    /** A pause that was longer than the window ended with a restart. */
    void restartedAfterALongPause(long now) {
        excusedTo = Math.max(excusedTo, now / 1_000);
    }

    /** How many events were handled. */
    int count() {
        return handled.values().stream().mapToInt(Map::size).sum();
    }

    /** Everything is over, and all events have had time to come. */
    void check() {
        handled.forEach((entity, numbers) -> numbers.forEach((number, text) -> {
            History settled = settled(entity);
            if (number <= settled.last()
                    && !settled.text(number).filter(text::equals).isPresent()) {
                throw broken(
                        entity,
                        "got " + number + ": " + text + ", but what is stored there is "
                                + settled.text(number).orElse("nothing"));
            }
        }));
        for (Step step : steps) {
            for (long number = step.after + 1; number < step.number; number++) {
                if (number > step.deletedTo && !step.handled.contains(number)) {
                    require(step.entity, number, "before it got " + step.number);
                }
            }
        }
        for (EntityTruth entity : entities.values()) {
            Map<Long, String> numbers = handled.getOrDefault(entity.entity(), Map.of());
            for (long number = entity.deletedTo() + 1;
                    number <= entity.settled().last();
                    number++) {
                if (!numbers.containsKey(number)) {
                    require(entity, number, "");
                }
            }
        }
    }

    private History settled(String entity) {
        return Optional.ofNullable(entities.get(entity)).orElseThrow().settled();
    }

    /** It has not got a number; that is well if nothing of interest is there, or if it is excused. */
    private void require(EntityTruth entity, long number, String when) {
        if (entity.settled().text(number).filter(texts).isPresent()
                && !visibility.isLaterThan(entity.entity(), number, SAFE)
                && visibility.timestamp(entity.entity(), number) > excusedTo) {
            throw broken(
                    entity.entity(),
                    "has not got " + number + ": "
                            + entity.settled().text(number).orElse("") + " " + when);
        }
    }

    private BrokenPromise broken(String entity, String what) {
        return new BrokenPromise("Consumer " + name + " of " + entity + " " + what.strip() + ".", entity);
    }
}
