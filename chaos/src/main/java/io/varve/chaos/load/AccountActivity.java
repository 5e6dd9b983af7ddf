package io.varve.chaos.load;

import io.varve.chaos.check.ReadModel;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What is known of an account: how far it is, what is under way, and how far the slowest projection is behind. */
final class AccountActivity {
    private static final String TAGGED = "tagged";
    private static final List<String> OF_ALL_EVENTS = List.of("exactly-once", "grouped", "at-least-once");

    private final Map<String, Integer> unknown = new HashMap<>();
    private final Set<Integer> acknowledgedBy = new HashSet<>();
    private long head;
    private long lastTagged;
    private Map<String, Long> goals = Map.of();
    private Map<String, ReadModel> models = Map.of();
    private long behind;
    private long nextTurn;
    private int underWay;

    void begin(long nextTurn) {
        this.nextTurn = nextTurn;
        underWay++;
    }

    /** The operation is stored from this number on. */
    void acknowledged(String operation, int node, long first, List<Long> amounts) {
        end(operation);
        acknowledgedBy.add(node);
        head = Math.max(head, first + amounts.size() - 1);
        for (int i = 0; i < amounts.size(); i++) {
            if (amounts.get(i) < 0) {
                lastTagged = Math.max(lastTagged, first + i);
            }
        }
    }

    /** It counts as stored until its client knows better. */
    void unknown(String operation, int events) {
        underWay--;
        unknown.put(operation, events);
    }

    void end(String operation) {
        underWay--;
        unknown.remove(operation);
    }

    /** Whether it was begun before, so that its events are counted already. */
    boolean isUnknown(String operation) {
        return unknown.containsKey(operation);
    }

    void progress(Map<String, ReadModel> found) {
        models = found;
        long highest =
                head + unknown.values().stream().mapToLong(Integer::longValue).sum();
        behind = goals().keySet().stream()
                .filter(name -> !name.equals(TAGGED) || processed(name) < lastTagged)
                .mapToLong(name -> highest - processed(name))
                .max()
                .orElse(0);
    }

    /** By how many events the slowest projection is behind. */
    long behind() {
        return behind;
    }

    /** What projections are to process is what is stored now. */
    void expectProjections() {
        goals = goals();
    }

    private Map<String, Long> goals() {
        Map<String, Long> all = new TreeMap<>();
        OF_ALL_EVENTS.forEach(name -> all.put(name, head));
        all.put(TAGGED, lastTagged);
        return all;
    }

    /** The projections that have yet to process what they are expected to. */
    List<String> missing() {
        return goals.entrySet().stream()
                .filter(goal -> processed(goal.getKey()) < goal.getValue())
                .map(goal ->
                        "%s has processed %d of %d".formatted(goal.getKey(), processed(goal.getKey()), goal.getValue()))
                .toList();
    }

    private long processed(String name) {
        return models.getOrDefault(name, ReadModel.NONE).highest();
    }

    /** When it may be written again, as {@link System#nanoTime()} counts. */
    long nextTurn() {
        return nextTurn;
    }

    boolean isQuiet() {
        return underWay == 0;
    }

    /** The nodes that have acknowledged something since they were forgotten. */
    Set<Integer> acknowledgedBy() {
        return acknowledgedBy;
    }
}
