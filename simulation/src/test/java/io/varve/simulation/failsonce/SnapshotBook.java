package io.varve.simulation.failsonce;

import java.util.HashSet;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** What an entity's owner knows of its snapshots: for each number those that can be there, or none. */
public final class SnapshotBook {
    private final String id;
    private final NavigableMap<Long, Set<Optional<String>>> possible = new TreeMap<>();
    private int made;

    public SnapshotBook(String id) {
        this.id = id;
    }

    public String id() {
        return id;
    }

    /** The text of a new snapshot, with about so many bytes. */
    public String make(long number, int bytes) {
        return (id + "@" + number + "/" + made++ + "/") + "x".repeat(bytes);
    }

    public SortedSet<Long> numbers() {
        return new TreeSet<>(possible.keySet());
    }

    public void saving(long number, String text) {
        possible.computeIfAbsent(number, given -> new HashSet<>(Set.of(Optional.empty())))
                .add(Optional.of(text));
    }

    public void saved(long number, String text) {
        possible.put(number, new HashSet<>(Set.of(Optional.of(text))));
    }

    /** Those up to a number are being deleted. */
    public void deleting(long from, long to) {
        possible.subMap(from, true, to, true).values().forEach(states -> states.add(Optional.empty()));
    }

    public void deleted(long from, long to) {
        possible.subMap(from, true, to, true).replaceAll((number, states) -> new HashSet<>(Set.of(Optional.empty())));
    }

    /** This was loaded, or nothing; from now on that is how it is. */
    public void found(long number, Optional<String> text) {
        Set<Optional<String>> states = possible.getOrDefault(number, Set.of(Optional.empty()));
        Broken.unless(
                states.contains(text),
                "%s has another snapshot %d than any that was saved: %s",
                id,
                number,
                text.map(found -> found.substring(0, Math.min(40, found.length()))));
        possible.put(number, new HashSet<>(Set.of(text)));
    }

    /** The latest one was loaded: none after it can be there for certain. */
    public void foundLatest(long number, Optional<String> text) {
        possible.tailMap(number, false).keySet().stream().toList().forEach(later -> found(later, Optional.empty()));
        text.ifPresent(loaded -> found(number, text));
    }

    /** What is there, as far as that is known. */
    public Optional<String> at(long number) {
        Set<Optional<String>> states = possible.getOrDefault(number, Set.of(Optional.empty()));
        Broken.unless(states.size() == 1, "nobody knows whether %s has the snapshot %d", id, number);
        return states.iterator().next();
    }
}
