package io.varve.simulation.failsonce;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** What an entity's owner knows of its events: what it has tried, and what it was told. Recoveries are compared with it. */
public final class EntityBook {
    public static final String TAG = "blue";
    /** What the texts of tagged events end with. */
    public static final String TAGGED = "#" + TAG;

    /** Whether something is stored. */
    public enum State {
        /** Nobody has said so, and nobody has looked. */
        OPEN,
        STORED,
        NOT_STORED
    }

    /** An atomic write. */
    public static final class Write {
        private final long first;
        private final List<String> texts = new ArrayList<>();
        private State state = State.OPEN;

        private Write(long first) {
            this.first = first;
        }

        public long last() {
            return first + texts.size() - 1;
        }

        public List<String> texts() {
            return texts;
        }

        public void is(State told) {
            state = told;
        }
    }

    private final String id;
    private final List<Write> writes = new ArrayList<>();
    private long deleted;
    private long maybeDeleted;
    private long highest;

    public EntityBook(String id) {
        this.id = id;
    }

    public String id() {
        return id;
    }

    /** A write of so many events is about to begin, whose texts end with a mark. */
    public Write begin(long first, int events, String mark) {
        Write write = new Write(first);
        for (int i = 0; i < events; i++) {
            write.texts.add(id + "/" + (first + i) + "/" + writes.size() + mark);
        }
        writes.add(write);
        return write;
    }

    public void deleting(long to) {
        maybeDeleted = Math.max(maybeDeleted, Math.min(to, highest));
    }

    public void deleted(long to) {
        deleted = Math.max(deleted, Math.min(to, highest));
    }

    /** A write was acknowledged. */
    public void stored(Write write) {
        write.state = State.STORED;
        highest = Math.max(highest, write.last());
    }

    /** The stored events that are not deleted. */
    public SortedMap<Long, String> events() {
        SortedMap<Long, String> events = new TreeMap<>();
        writes.stream().filter(write -> write.state == State.STORED).forEach(write -> events.putAll(numbered(write)));
        return new TreeMap<>(events.tailMap(deleted + 1));
    }

    private static Map<Long, String> numbered(Write write) {
        Map<Long, String> events = new HashMap<>();
        for (int i = 0; i < write.texts.size(); i++) {
            events.put(write.first + i, write.texts.get(i));
        }
        return events;
    }

    /** Whether a text is of a write that failed: of one with several transactions some may be left, until the next write or delete. */
    public boolean isOfAFailedWrite(String text) {
        return writes.stream().anyMatch(write -> write.state == State.NOT_STORED && write.texts.contains(text));
    }

    /** Up to where events are deleted. */
    public long deletedTo() {
        return deleted;
    }

    /** A recovery has found these events from a number on, and that highest number; from now on that is how it is. */
    public void found(long from, long number, SortedMap<Long, String> events) {
        settleWrites(from, events);
        settleDelete(from, events);
        highest = Math.max(highest, events().isEmpty() ? deleted : events().lastKey());
        Broken.unless(number == highest, "%s was recovered up to %d instead of %d", id, number, highest);
        SortedMap<Long, String> expected = events().tailMap(from);
        Broken.unless(events.equals(expected), "%s has the events %s, but %s are stored", id, events, expected);
    }

    /** What was neither acknowledged nor refused is there as a whole or not at all. */
    private void settleWrites(long from, SortedMap<Long, String> events) {
        for (Write write : writes) {
            if (write.state == State.OPEN && write.first > maybeDeleted && write.first >= from) {
                Map<Long, String> wanted = numbered(write);
                long there = wanted.entrySet().stream()
                        .filter(entry -> entry.getValue().equals(events.get(entry.getKey())))
                        .count();
                Broken.unless(
                        there == 0 || there == wanted.size(),
                        "%s has %d of the %d events of one atomic write",
                        id,
                        there,
                        wanted.size());
                write.state = there == 0 ? State.NOT_STORED : State.STORED;
            }
        }
    }

    /** So is a delete that failed: after it, none of the events are there, or all. */
    private void settleDelete(long from, SortedMap<Long, String> events) {
        if (maybeDeleted > deleted && from <= maybeDeleted) {
            boolean gone = events.isEmpty() || events.firstKey() > maybeDeleted;
            deleted = gone ? maybeDeleted : deleted;
            maybeDeleted = deleted;
        }
    }
}
