package io.varve.simulation;

import io.varve.store.internal.layout.Event;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * What a consumer of a query was promised: every event of interest, those of an entity in order, each once for each run; nothing
 * missing after a restart, but for what the documentation excepts.
 *
 * <p>Which events there are is certain only at the end, so that gaps are judged then.
 */
final class ConsumerTruth {
    /**
     * An event that was handled after another, or first: what lies between must not be there, or be handled before.
     *
     * @param after the one before it in the same run; 0 if it is the first
     * @param order how many were handled before it
     * @param trustedFrom those that are younger than this, as it is, are looked for in the journal itself, however late they are
     */
    private record Step(
            EntityTruth entity,
            long after,
            long number,
            long deletedTo,
            long order,
            long timestamp,
            long trustedFrom) {}

    /** What was handled, and how many before it. */
    private record Handled(String text, long order) {}

    private final String name;
    private final Map<String, EntityTruth> entities = new LinkedHashMap<>();
    private final Predicate<String> texts;
    private final Visibility visibility;
    private final Shape shape;
    private final Map<String, Map<Long, Handled>> handled = new LinkedHashMap<>();
    private final List<Step> steps = new ArrayList<>();
    private long count;
    /** What is older than this, in microseconds since the beginning, may be missing: a long pause has ended with a restart. */
    private long excusedTo;

    /** One that is interested in entities, and in texts. */
    ConsumerTruth(
            String name,
            Collection<EntityTruth> entities,
            Predicate<String> texts,
            Visibility visibility,
            Shape shape) {
        this.name = name;
        entities.forEach(entity -> this.entities.put(entity.entity(), entity));
        this.texts = texts;
        this.visibility = visibility;
        this.shape = shape;
    }

    /** From a start to the next. */
    final class Run {
        private final Map<String, Long> last = new HashMap<>();

        void handled(Event event, String text, long now) {
            String entity = event.persistenceId();
            long number = event.sequenceNumber();
            EntityTruth truth = entities.get(entity);
            if (truth == null || !texts.test(text)) {
                throw broken(entity, "got " + number + ": " + text + ", which it has not asked for");
            }
            long before = last.getOrDefault(entity, 0L);
            last.put(entity, number);
            if (before >= number) {
                throw broken(entity, "got " + number + " after " + before + " in one run");
            }
            if (before < number - 1) {
                steps.add(new Step(
                        truth,
                        before,
                        number,
                        truth.deletedTo(),
                        count,
                        Visibility.sinceTheBeginning(event.timestamp()),
                        (now - shape.youngerThanTrusted().toNanos()) / 1_000));
            }
            Map<Long, Handled> ofEntity = handled.computeIfAbsent(entity, none -> new HashMap<>());
            Handled other = ofEntity.putIfAbsent(number, new Handled(text, count++));
            if (other != null
                    && !other.text.equals(text)
                    && !truth.mayBeLeftOver(number, text)
                    && !truth.mayBeLeftOver(number, other.text)) {
                throw broken(entity, "got " + number + ": " + text + ", and before that " + other.text);
            }
        }
    }

    /** A pause that was longer than the window ended with a restart. */
    void restartedAfterALongPause(long now) {
        excusedTo = Math.max(excusedTo, now / 1_000);
    }

    /** Everything is over, and all events have had time to come. */
    void check() {
        handled.forEach((entity, numbers) -> {
            EntityTruth truth = Objects.requireNonNull(entities.get(entity));
            numbers.forEach((number, event) -> isStored(truth, number, event.text));
        });
        for (Step step : steps) {
            for (long number = step.after + 1; number < step.number; number++) {
                if (number > step.deletedTo && !isHandledBefore(step.entity, number, step.order)) {
                    require(step.entity, number, isLookedFor(step, number), "before it got " + step.number);
                }
            }
        }
        for (EntityTruth entity : entities.values()) {
            for (long number = entity.deletedTo() + 1;
                    number <= entity.settled().last();
                    number++) {
                if (!isHandledBefore(entity, number, Long.MAX_VALUE)) {
                    require(entity, number, false, "");
                }
            }
        }
    }

    private void isStored(EntityTruth entity, long number, String text) {
        History settled = entity.settled();
        if (number <= settled.last()
                && !settled.text(number).filter(text::equals).isPresent()
                && !entity.mayBeLeftOver(number, text)) {
            throw broken(
                    entity.entity(),
                    "got " + number + ": " + text + ", but what is stored there is "
                            + settled.text(number).orElse("nothing"));
        }
    }

    private boolean isHandledBefore(EntityTruth entity, long number, long order) {
        Handled event = handled.getOrDefault(entity.entity(), Map.of()).get(number);
        return event != null && event.order < order;
    }

    /** Whether the journal was asked for a number, because the one that came after it was too young for the index to be trusted. */
    private boolean isLookedFor(Step step, long number) {
        long timestamp = visibility.timestamp(step.entity.entity(), number);
        return step.after > 0
                && step.timestamp > step.trustedFrom
                && timestamp > step.trustedFrom
                && timestamp < Long.MAX_VALUE;
    }

    /** It has not got a number; that is well if nothing of interest is there, or if it is excused. */
    private void require(EntityTruth entity, long number, boolean howeverLate, String when) {
        if (entity.settled().text(number).filter(texts).isPresent()
                && (howeverLate || !visibility.isLaterThan(entity.entity(), number, shape.foundIfNotLaterThan()))
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
