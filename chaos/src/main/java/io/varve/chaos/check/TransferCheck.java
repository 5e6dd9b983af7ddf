package io.varve.chaos.check;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** No money appears or disappears: each deposit of a transfer has its withdrawal, and the balances add up. */
final class TransferCheck {
    /** How the two operations of a transfer end. */
    private static final String WITHDRAWAL = "w";

    private static final String DEPOSIT = "d";

    private TransferCheck() {}

    /** Returns how many transfers are complete. */
    static long run(OperationLog log, Map<String, List<String>> histories, List<Violation> violations) {
        Map<String, String> lines = new HashMap<>();
        histories.values().forEach(history -> history.forEach(line -> lines.put(Operation.nameIn(line), line)));
        long complete = 0;
        for (Operation operation : log.all()) {
            if (!operation.name().endsWith(DEPOSIT) || !lines.containsKey(operation.name())) {
                continue;
            }
            String withdrawal =
                    operation.name().substring(0, operation.name().length() - DEPOSIT.length()) + WITHDRAWAL;
            String taken = lines.get(withdrawal);
            if (taken == null) {
                violations.add(new Violation(
                        operation.account(), operation.name() + " was paid in, but nobody has paid " + withdrawal));
            } else if (Operation.amountIn(taken) + Operation.amountIn(lines.getOrDefault(operation.name(), "/0"))
                    != 0) {
                violations.add(new Violation(
                        operation.account(), operation.name() + " is another amount than that of " + withdrawal));
            } else {
                complete++;
            }
        }
        return complete;
    }
}
