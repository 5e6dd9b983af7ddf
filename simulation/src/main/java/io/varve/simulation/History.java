package io.varve.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What was stored of an entity, number by number; numbers can be left out. Each number has a fingerprint of all up to it, so that
 * two histories are compared at once.
 */
final class History {
    private static final String NOTHING = "";

    private final List<String> texts = new ArrayList<>();
    private final List<Long> fingerprints = new ArrayList<>();

    /** The beginning of another one, which may end before that number. */
    static History upTo(History other, long last) {
        History copy = new History();
        int end = (int) Math.min(last, other.last());
        copy.texts.addAll(other.texts.subList(0, end));
        copy.fingerprints.addAll(other.fingerprints.subList(0, end));
        return copy;
    }

    /** The last number. */
    long last() {
        return texts.size();
    }

    /** Adds what is stored under a number after the last one; those between are left out. */
    void add(long number, String text) {
        if (number <= last()) {
            throw new BrokenPromise("Number " + number + " (" + text + ") comes after " + last() + ".");
        }
        while (last() < number - 1) {
            append(NOTHING);
        }
        append(text);
    }

    private void append(String text) {
        fingerprints.add(31 * fingerprint(last()) + text.hashCode() + 1);
        texts.add(text);
    }

    private long fingerprint(long number) {
        return number == 0 ? 7 : fingerprints.get((int) number - 1);
    }

    /** What is stored under a number. */
    Optional<String> text(long number) {
        return number < 1 || number > last()
                ? Optional.empty()
                : Optional.of(texts.get((int) number - 1)).filter(text -> !text.equals(NOTHING));
    }

    /** The first number up to a last one where two histories differ. */
    Optional<Long> differsFrom(History other, long upTo) {
        if (last() >= upTo && other.last() >= upTo && fingerprint(upTo) == other.fingerprint(upTo)) {
            return Optional.empty();
        }
        for (long number = 1; number <= upTo; number++) {
            if (!text(number).equals(other.text(number))) {
                return Optional.of(number);
            }
        }
        return Optional.empty();
    }
}
