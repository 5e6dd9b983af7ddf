package io.varve.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

    /** What a recovery has found. */
    private record Recovered(long highest, History history) {}

    /** What was settled when something began. */
    record Moment(long highest, long settledTo) {}

    /** What the texts of tagged events end with. */
    static final String TAGGED = "#";

    private final String entity;
    private final long taggedFrom;
    private final SavedStates states = new SavedStates();
    private final History settled = new History();
    private final Map<String, Attempt> attempts = new HashMap<>();
    private final Presences presences = new Presences();
    private final NodeKnowledge knowledge = new NodeKnowledge();
    private final List<Recovered> recoveries = new ArrayList<>();

    private long highestSeen;
    private long timestamp;
    private long deletedTo;
    private long notReplayedTo;
    private int deletes;
    private boolean calm;

    /** One whose events have a tag from some time on, in nanoseconds since the beginning. */
    EntityTruth(String entity, long taggedFrom) {
        this.entity = entity;
        this.taggedFrom = taggedFrom;
    }

    boolean isTagged(long now) {
        return now >= taggedFrom;
    }

    /** The states that its snapshots hold. */
    SavedStates states() {
        return states;
    }

    String entity() {
        return entity;
    }

    String entityType() {
        return entity.substring(0, entity.indexOf('|'));
    }

    /** What is certain of it. */
    History settled() {
        return settled;
    }

    void deleting(long to) {
        deletes++;
        deletedTo = Math.max(deletedTo, to);
    }

    void deleted() {
        deletes--;
    }

    /** From now on nobody replays what is up to this number. */
    void decidedToDelete(long to) {
        notReplayedTo = Math.max(notReplayedTo, to);
    }

    /** Up to where nobody replays events. */
    long notReplayedTo() {
        return notReplayedTo;
    }

    /** The end of the world is near: what is there must not go any more. */
    void calm() {
        calm = true;
    }

    boolean isCalm() {
        return calm;
    }

    boolean isDeleting() {
        return deletes > 0;
    }

    /** Who lives as this entity. */
    Presences presences() {
        return presences;
    }

    /** What its nodes can know of it. */
    NodeKnowledge knowledge() {
        return knowledge;
    }

    /** An instance that has stored up to a number was told that another one has been there: then one was, or is. */
    void fenced(String instance, long stored, long now) {
        require(
                presences.anotherWasActive(instance, now)
                        || attempts.entrySet().stream()
                                .anyMatch(text -> text.getValue().last() > stored
                                        && !text.getKey().startsWith(instance + "/")),
                () -> "was told that another instance than " + instance + " has written it after " + stored
                        + ", but nobody has");
    }

    /** Whether somebody has tried to write this, which may stand below the low mark: no one replays it there, but queries may find it. */
    boolean mayBeLeftOver(long number, String text) {
        Attempt attempt = attempts.get(text);
        return number <= deletedTo && attempt != null && number >= attempt.first && number <= attempt.last();
    }

    /** Up to where its events may be gone. */
    long deletedTo() {
        return deletedTo;
    }

    Moment now() {
        return new Moment(Math.max(settled.last(), highestSeen), settled.last());
    }

    void trying(long first, List<String> texts) {
        Attempt attempt = new Attempt(first, texts);
        texts.forEach(text -> attempts.put(text, attempt));
    }

    /**
     * A write that ends at {@code end} was acknowledged to an owner whose whole history is this. Others may have gone on from it
     * before the owner heard of it.
     */
    void acknowledged(History history, long end, long firstTimestamp, long lastTimestamp) {
        if (end > settled.last()) {
            require(
                    firstTimestamp > timestamp,
                    () -> "has an event that ends at " + end + " with the timestamp " + firstTimestamp
                            + ", which is not after " + timestamp + " of one before it");
            timestamp = lastTimestamp;
        }
        history.differsFrom(settled, Math.min(end, settled.last()))
                .ifPresent(number -> fail("was acknowledged " + end + " to an owner that has " + number + ": "
                        + shown(history.text(number)) + ", but " + shown(settled.text(number))
                        + " had been acknowledged there"));
        for (long number = settled.last() + 1; number <= end; number++) {
            long next = number;
            history.text(number).ifPresent(text -> settled.add(next, text));
        }
    }

    /** A recovery that began at that moment found this number. */
    void foundHighest(Moment begin, long highest) {
        require(
                highest >= begin.highest,
                () -> "was recovered up to " + highest + ", but " + begin.highest + " had been reached before");
        highestSeen = Math.max(highestSeen, highest);
    }

    /** A recovery that began at that moment found this number and, snapshot and events together, this history. */
    void recovered(Moment begin, long highest, History history) {
        settled.differsFrom(history, begin.settledTo)
                .ifPresent(number -> fail("was recovered with " + number + ": " + shown(history.text(number)) + ", but "
                        + shown(settled.text(number)) + " had been acknowledged"));
        require(
                history.last() <= highest,
                () -> "was recovered with " + history.last() + ", but only up to " + highest);
        for (long number = begin.settledTo + 1; number <= history.last(); number++) {
            written(number, history);
        }
        recoveries.add(new Recovered(highest, history));
    }

    /** Everything is over: what was certain in the end up to the number that a recovery found, it had found, too. */
    void check() {
        for (Recovered recovery : recoveries) {
            settled.differsFrom(recovery.history, Math.min(recovery.highest, settled.last()))
                    .ifPresent(number -> fail("was recovered up to " + recovery.highest + " with " + number + ": "
                            + shown(recovery.history.text(number)) + ", but " + shown(settled.text(number))
                            + " is stored there"));
        }
    }

    /** What was found under a number is part of a write, all of which was found. */
    private void written(long number, History history) {
        Optional<String> text = history.text(number);
        if (text.isEmpty()) {
            return;
        }
        Attempt attempt = attempts.get(text.get());
        if (attempt == null || number < attempt.first || number > attempt.last()) {
            fail("was recovered with " + number + ": " + text.get() + ", which nobody wrote");
            return;
        }
        for (int i = 0; i < attempt.texts.size(); i++) {
            String part = attempt.texts.get(i);
            long at = attempt.first + i;
            require(
                    history.text(at).filter(part::equals).isPresent(),
                    () -> "was recovered with " + number + ", but without " + at + " of the same atomic write");
        }
    }

    private static String shown(Optional<String> text) {
        return text.orElse("nothing");
    }

    private void require(boolean kept, Supplier<String> what) {
        if (!kept) {
            fail(what.get());
        }
    }

    private void fail(String what) {
        throw new BrokenPromise("Entity " + entity + " " + what + ".", entity);
    }
}
