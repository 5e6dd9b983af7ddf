package io.varve.chaos.check;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;

/** Compares the read models of an account with its history. */
final class ModelCheck {
    private static final List<String> EXACTLY_ONCE = List.of("exactly-once", "grouped");
    private static final String AT_LEAST_ONCE = "at-least-once";
    private static final String TAGGED = "tagged";

    private final StoredAccount account;
    private final List<String> lines;
    private final Map<String, Integer> rewinds;
    private final List<Violation> violations;

    /** @param rewinds how often it was tried to set a projection back to the beginning */
    ModelCheck(StoredAccount account, List<String> lines, Map<String, Integer> rewinds, List<Violation> violations) {
        this.account = account;
        this.lines = lines;
        this.rewinds = rewinds;
        this.violations = violations;
    }

    void run() {
        List<Long> all = LongStream.rangeClosed(1, lines.size()).boxed().toList();
        EXACTLY_ONCE.forEach(this::exactlyOnce);
        atLeastOnce(AT_LEAST_ONCE, all);
        atLeastOnce(TAGGED, all.stream().filter(this::isTagged).toList());
    }

    /** Whether nothing is left to do for the projections. */
    static boolean isComplete(StoredAccount account, List<String> lines) {
        ModelCheck check = new ModelCheck(account, lines, Map.of(), List.of());
        long lastTagged = LongStream.rangeClosed(1, lines.size())
                .filter(check::isTagged)
                .max()
                .orElse(0);
        return EXACTLY_ONCE.stream().allMatch(name -> account.model(name).highest() >= lines.size())
                && account.model(AT_LEAST_ONCE).highest() >= lines.size()
                && account.model(TAGGED).highest() >= lastTagged;
    }

    /** Number by number; after a rewind again from what was then the first event. */
    private void exactlyOnce(String projection) {
        ReadModel model = account.model(projection);
        long last = 0;
        int again = 0;
        for (long number : model.numbers()) {
            if (number != last + 1) {
                if (number <= last && number <= Math.max(1, account.lowMark()) && again < rewinds(projection)) {
                    again++;
                } else {
                    report("%s has processed %d after %d".formatted(projection, number, last));
                }
            }
            last = number;
        }
        if (last != lines.size()) {
            report("%s has processed up to %d of %d".formatted(projection, last, lines.size()));
        }
        long sum = model.numbers().stream()
                .filter(number -> number <= lines.size())
                .mapToLong(this::amount)
                .sum();
        if (sum != model.sum()) {
            report("%s has the sum %d, the events that it has processed %d".formatted(projection, model.sum(), sum));
        }
    }

    /** All of them, each for the first time in order. */
    private void atLeastOnce(String projection, List<Long> expected) {
        Set<Long> seen = new HashSet<>();
        List<Long> first =
                account.model(projection).numbers().stream().filter(seen::add).toList();
        if (first.equals(expected)) {
            return;
        }
        int same = 0;
        while (same < Math.min(first.size(), expected.size()) && first.get(same).equals(expected.get(same))) {
            same++;
        }
        report("%s has processed %s where it should have processed %s"
                .formatted(
                        projection,
                        same < first.size() ? first.get(same) : "nothing",
                        same < expected.size() ? expected.get(same) : "nothing"));
    }

    private int rewinds(String projection) {
        return rewinds.getOrDefault(projection, 0);
    }

    private boolean isTagged(long number) {
        return amount(number) < 0;
    }

    private long amount(long number) {
        return Operation.amountIn(lines.get(Math.toIntExact(number - 1)));
    }

    private void report(String what) {
        violations.add(new Violation(account.id(), what));
    }
}
