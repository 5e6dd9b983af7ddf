package io.varve.chaos.load;

import io.varve.chaos.check.ReadModel;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Which accounts may be written, so that the workload stays within what Varve promises.
 *
 * <p>An account deletes the events that are so many behind its snapshot. So it is left alone when a projection is half as many behind:
 * otherwise what is deleted might not have been projected. And its events have a least interval, so that it takes longer to get so far
 * than {@code check-writer-after}: an instance that was cut off finds its own next numbers undeleted, and a recovery its snapshot's.
 * While two live instances are intended, only accounts that delete nothing are written.
 */
public final class AccountPace {
    private static final String KEEPS_EVENTS = "keep";
    /** Nothing is lost where events are kept, but projections are to come to an end. */
    private static final int KEEPING_FACTOR = 10;

    private static final String PREFIX = "account|";

    private final Map<String, Activity> accounts = new TreeMap<>();
    private final Limits limits;
    private boolean keepingOnly;

    /**
     * What an account has to keep to.
     *
     * @param eventInterval the least time for an event
     * @param mostBehind it is left alone when a projection is further behind
     * @param watchInterval how often that is looked at
     */
    public record Limits(Duration eventInterval, long mostBehind, Duration watchInterval) {}

    /** What is known of an account. */
    private static final class Activity {
        private long head;
        private long unknown;
        private long lastTagged;
        private long behind;
        private long nextTurn;
        private int underWay;
        private final Set<Integer> acknowledgedBy = new HashSet<>();
    }

    /** So many accounts that delete events, and that keep them. */
    public AccountPace(int deleting, int keeping, Limits limits) {
        this.limits = limits;
        IntStream.rangeClosed(1, deleting).forEach(i -> accounts.put(PREFIX + "a" + spread(i), new Activity()));
        IntStream.rangeClosed(1, keeping).forEach(i -> accounts.put(PREFIX + KEEPS_EVENTS + spread(i), new Activity()));
    }

    /** Numbers that follow each other are in neighbouring slices, and so in one instance of a projection; these are not. */
    private static String spread(long number) {
        return number + "-" + number * 48_271 % 99_991;
    }

    Duration watchInterval() {
        return limits.watchInterval();
    }

    /** All accounts. */
    public List<String> accounts() {
        return List.copyOf(accounts.keySet());
    }

    /** Those that may be written for now. */
    synchronized List<String> candidates() {
        return accounts.keySet().stream().filter(this::mayBeWritten).toList();
    }

    private boolean mayBeWritten(String account) {
        return !keepingOnly || keepsEvents(account);
    }

    private static boolean keepsEvents(String account) {
        return account.startsWith(PREFIX + KEEPS_EVENTS);
    }

    /** Begins an operation if it may be begun now. */
    synchronized boolean begin(String account, int events) {
        Activity activity = of(account);
        long now = System.nanoTime();
        boolean held = activity.behind > limits.mostBehind() * (keepsEvents(account) ? KEEPING_FACTOR : 1);
        if (!mayBeWritten(account) || held || activity.nextTurn - now > 0) {
            return false;
        }
        activity.nextTurn = now + limits.eventInterval().toNanos() * events;
        activity.underWay++;
        return true;
    }

    /** The operation is stored from this number on. */
    synchronized void acknowledged(String account, int node, long first, List<Long> amounts) {
        Activity activity = of(account);
        activity.underWay--;
        activity.acknowledgedBy.add(node);
        if (first + amounts.size() > activity.head + 1) {
            activity.head = first + amounts.size() - 1;
            activity.unknown = 0;
        }
        for (int i = 0; i < amounts.size(); i++) {
            if (amounts.get(i) < 0) {
                activity.lastTagged = Math.max(activity.lastTagged, first + i);
            }
        }
    }

    /** Nobody knows whether so many events are stored: until a higher number is acknowledged, they count as if they were. */
    synchronized void unknown(String account, int events) {
        Activity activity = of(account);
        activity.underWay--;
        activity.unknown += events;
    }

    /** It was refused. */
    synchronized void refused(String account) {
        of(account).underWay--;
    }

    /** How far the projections are. */
    public synchronized void progress(Map<String, Map<String, ReadModel>> models) {
        accounts.forEach((id, activity) -> {
            Map<String, ReadModel> found = models.getOrDefault(id, Map.of());
            long tagged = highest(found, "tagged");
            long slowest = List.of("exactly-once", "grouped", "at-least-once").stream()
                    .mapToLong(name -> highest(found, name))
                    .min()
                    .orElse(0);
            long head = activity.head + activity.unknown;
            activity.behind = Math.max(head - slowest, tagged >= activity.lastTagged ? 0 : head - tagged);
        });
    }

    private static long highest(Map<String, ReadModel> models, String name) {
        return models.getOrDefault(name, ReadModel.NONE).highest();
    }

    /** From now on only accounts that keep their events are written, or all again. */
    public synchronized void keepingOnly(boolean only) {
        keepingOnly = only;
    }

    /** Forgets which nodes have acknowledged what. */
    public synchronized void forgetWriters() {
        accounts.values().forEach(activity -> activity.acknowledgedBy.clear());
    }

    /** Whether an account deletes events behind its snapshots. */
    public static boolean deletes(String account) {
        return !keepsEvents(account);
    }

    /** Whether nothing is under way in accounts that delete. */
    public synchronized boolean deletingAreQuiet() {
        return accounts.entrySet().stream()
                .allMatch(entry -> keepsEvents(entry.getKey()) || entry.getValue().underWay == 0);
    }

    /** How many accounts were written by both sides since the writers were forgotten, of which the first has these nodes. */
    public synchronized long writtenByBoth(Set<Integer> side) {
        return accounts.values().stream()
                .filter(activity -> activity.acknowledgedBy.stream().anyMatch(side::contains)
                        && !side.containsAll(activity.acknowledgedBy))
                .count();
    }

    private Activity of(String account) {
        Activity activity = accounts.get(account);
        if (activity == null) {
            throw new IllegalArgumentException("There is no account " + account);
        }
        return activity;
    }
}
