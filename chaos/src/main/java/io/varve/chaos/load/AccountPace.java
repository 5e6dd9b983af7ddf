package io.varve.chaos.load;

import io.varve.chaos.check.ReadModel;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
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
    /** What is kept is processed again after each rewind, so that there is to be less of it. */
    private static final int KEEPING_INTERVALS = 3;

    private static final String PREFIX = "account|";
    private static final int MOST_DRAWS = 100;

    private final Map<String, AccountActivity> accounts = new TreeMap<>();
    private final List<String> ids;
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

    /** So many accounts that delete events, and that keep them. */
    public AccountPace(int deleting, int keeping, Limits limits) {
        this.limits = limits;
        IntStream.rangeClosed(1, deleting).forEach(i -> accounts.put(PREFIX + "a" + spread(i), new AccountActivity()));
        IntStream.rangeClosed(1, keeping)
                .forEach(i -> accounts.put(PREFIX + KEEPS_EVENTS + spread(i), new AccountActivity()));
        this.ids = List.copyOf(accounts.keySet());
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
        return ids;
    }

    /** Any account that is not left alone for now; none if few or none is. */
    synchronized Optional<String> draw(Random random) {
        for (int i = 0; i < MOST_DRAWS; i++) {
            String account = ids.get(random.nextInt(ids.size()));
            if (mayBeWritten(account) && !isHeld(account, of(account))) {
                return Optional.of(account);
            }
        }
        return Optional.empty();
    }

    private boolean mayBeWritten(String account) {
        return !keepingOnly || keepsEvents(account);
    }

    private boolean isHeld(String account, AccountActivity activity) {
        return activity.behind() > limits.mostBehind() * (keepsEvents(account) ? KEEPING_FACTOR : 1);
    }

    private static boolean keepsEvents(String account) {
        return account.startsWith(PREFIX + KEEPS_EVENTS);
    }

    /**
     * Begins an operation if it may be begun now. One that is repeated is not held back by projections: its events are counted
     * already, and would never be processed if they are not stored.
     */
    synchronized boolean begin(String account, String operation, int events) {
        AccountActivity activity = of(account);
        long now = System.nanoTime();
        boolean held = isHeld(account, activity) && !activity.isUnknown(operation);
        if (!mayBeWritten(account) || held || activity.nextTurn() - now > 0) {
            return false;
        }
        int intervals = events * (keepsEvents(account) ? KEEPING_INTERVALS : 1);
        activity.begin(now + limits.eventInterval().toNanos() * intervals);
        return true;
    }

    /** The operation is stored from this number on. */
    synchronized void acknowledged(String account, String operation, int node, long first, List<Long> amounts) {
        of(account).acknowledged(operation, node, first, amounts);
    }

    /** Nobody knows whether its events are stored: until its client does, they count as if they were. */
    synchronized void unknown(String account, String operation, int events) {
        of(account).unknown(operation, events);
    }

    /** It was refused. */
    synchronized void refused(String account, String operation) {
        of(account).end(operation);
    }

    /** How far the projections are. */
    public synchronized void progress(Map<String, Map<String, ReadModel>> models) {
        accounts.forEach((id, activity) -> activity.progress(models.getOrDefault(id, Map.of())));
    }

    /** Projections are to process what is stored now. */
    public synchronized void expectProjections() {
        accounts.values().forEach(AccountActivity::expectProjections);
    }

    /** The projections that have not yet processed what they are expected to. */
    public synchronized List<String> missing() {
        return accounts.entrySet().stream()
                .flatMap(entry -> entry.getValue().missing().stream().map(text -> entry.getKey() + ": " + text))
                .toList();
    }

    /** From now on only accounts that keep their events are written, or all again. */
    public synchronized void keepingOnly(boolean only) {
        keepingOnly = only;
    }

    /** Forgets which nodes have acknowledged what. */
    public synchronized void forgetWriters() {
        accounts.values().forEach(activity -> activity.acknowledgedBy().clear());
    }

    /** Whether an account deletes events behind its snapshots. */
    public static boolean deletes(String account) {
        return !keepsEvents(account);
    }

    /** Whether nothing is under way in accounts that delete. */
    public synchronized boolean deletingAreQuiet() {
        return accounts.entrySet().stream()
                .allMatch(
                        entry -> keepsEvents(entry.getKey()) || entry.getValue().isQuiet());
    }

    /** How many accounts were written by both sides since the writers were forgotten, of which the first has these nodes. */
    public synchronized long writtenByBoth(Set<Integer> side) {
        return accounts.values().stream()
                .map(AccountActivity::acknowledgedBy)
                .filter(nodes -> nodes.stream().anyMatch(side::contains) && !side.containsAll(nodes))
                .count();
    }

    private AccountActivity of(String account) {
        AccountActivity activity = accounts.get(account);
        if (activity == null) {
            throw new IllegalArgumentException("There is no account " + account);
        }
        return activity;
    }
}
