package io.varve.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * What was promised of one entity, and whether it is kept. It knows nothing of the store: numbers and texts go in, and a broken
 * promise comes out as a {@link BrokenPromise}.
 */
final class EntityTruth {
    /** A write that was tried: all of it or nothing may be found. */
    record Attempt(long first, List<String> texts) {
        long last() {
            return first + texts.size() - 1;
        }
    }

    /** What was settled when something began. */
    record Moment(long highest, long settledTo, Map<Long, String> settled) {}

    private final String entity;
    private final Map<Long, String> settled = new TreeMap<>();
    private final List<Attempt> attempts = new ArrayList<>();
    private long settledTo;
    private long highestSeen;
    private int deletes;

    EntityTruth(String entity) {
        this.entity = entity;
    }

    String entity() {
        return entity;
    }

    void deleting(int change) {
        deletes += change;
    }

    boolean isDeleting() {
        return deletes > 0;
    }

    Moment now() {
        return new Moment(Math.max(settledTo, highestSeen), settledTo, new TreeMap<>(settled));
    }

    void trying(long first, List<String> texts) {
        attempts.add(new Attempt(first, texts));
    }

    /**
     * A write that ends at {@code end} was acknowledged to an owner whose whole history is this. Others may have gone on from it
     * before the owner heard of it.
     */
    void acknowledged(Map<Long, String> history, long end) {
        for (long n = 1; n <= Math.min(end, settledTo); n++) {
            long number = n;
            require(
                    Objects.equals(settled.get(number), history.get(number)),
                    () -> "was acknowledged " + end + " to an owner that has " + number + ": " + history.get(number)
                            + ", but " + settled.get(number) + " had been acknowledged there");
        }
        if (end > settledTo) {
            history.forEach((number, text) -> {
                if (number <= end) {
                    settled.put(number, text);
                }
            });
            settledTo = end;
        }
    }

    /** A recovery that began at that moment found this number and, snapshot and events together, this history. */
    void recovered(Moment begin, long highest, Map<Long, String> history) {
        require(
                highest >= begin.highest,
                () -> "was recovered up to " + highest + ", but " + begin.highest + " had been reached before");
        begin.settled.forEach((number, text) -> require(
                text.equals(history.get(number)),
                () -> "was recovered with " + number + ": " + history.get(number) + ", but " + text
                        + " had been acknowledged"));
        history.forEach((number, text) -> {
            require(number <= highest, () -> "was recovered with " + number + ", but only up to " + highest);
            require(
                    number > begin.settledTo() || begin.settled.containsKey(number),
                    () -> "was recovered with " + number + ": " + text + ", behind " + begin.settledTo()
                            + ", which had been acknowledged without it");
            require(
                    attempts.stream().anyMatch(attempt -> contains(attempt, number, text)),
                    () -> "was recovered with " + number + ": " + text + ", which nobody wrote");
        });
        for (Attempt attempt : attempts) {
            long found = history.entrySet().stream()
                    .filter(e -> contains(attempt, e.getKey(), e.getValue()))
                    .count();
            require(
                    found == 0 || found == attempt.texts.size(),
                    () -> "was recovered with " + found + " of the " + attempt.texts.size()
                            + " events of the atomic write from " + attempt.first + " on");
        }
        highestSeen = Math.max(highestSeen, highest);
    }

    private static boolean contains(Attempt attempt, long number, String text) {
        return number >= attempt.first
                && number <= attempt.last()
                && attempt.texts.get((int) (number - attempt.first)).equals(text);
    }

    private void require(boolean kept, Supplier<String> what) {
        if (!kept) {
            throw new BrokenPromise("Entity " + entity + " " + what.get() + ".");
        }
    }
}
