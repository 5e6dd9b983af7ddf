package io.varve.chaos.check;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The whole check: histories, operations, transfers, read models. */
public final class BankCheck {
    private final Collection<StoredAccount> accounts;
    private final OperationLog log;
    private final Map<String, Integer> rewinds;

    /** @param rewinds how often it was tried to set each projection back to the beginning */
    public BankCheck(Collection<StoredAccount> accounts, OperationLog log, Map<String, Integer> rewinds) {
        this.accounts = accounts;
        this.log = log;
        this.rewinds = rewinds;
    }

    /**
     * What was checked and what was found.
     *
     * @param unknown operations of which the clients do not know what became of them; so many of them are stored
     */
    public record Result(
            long events,
            long acknowledged,
            long unknown,
            long unknownStored,
            long refused,
            long transfers,
            long processed,
            List<Violation> violations) {}

    /** Checks everything. */
    public Result run() {
        List<Violation> violations = new ArrayList<>();
        Map<String, List<String>> histories = new HashMap<>();
        accounts.forEach(account -> histories.put(account.id(), AccountHistory.of(account, violations)));
        new OperationCheck(log, histories, violations).run();
        long transfers = TransferCheck.run(log, histories, violations);
        accounts.forEach(account ->
                new ModelCheck(account, histories.getOrDefault(account.id(), List.of()), rewinds, violations).run());
        return result(histories, transfers, violations);
    }

    private Result result(Map<String, List<String>> histories, long transfers, List<Violation> violations) {
        List<Operation> unknown = log.all().stream()
                .filter(operation -> !operation.isAcknowledged() && !operation.isRefused())
                .toList();
        List<String> stored = histories.values().stream()
                .flatMap(List::stream)
                .map(Operation::nameIn)
                .toList();
        Set<String> names = new HashSet<>(stored);
        return new Result(
                stored.size(),
                log.all().stream().filter(Operation::isAcknowledged).count(),
                unknown.size(),
                unknown.stream()
                        .filter(operation -> names.contains(operation.name()))
                        .count(),
                log.all().stream().filter(Operation::isRefused).count(),
                transfers,
                accounts.stream()
                        .flatMap(account -> account.models().values().stream())
                        .mapToLong(model -> model.numbers().size())
                        .sum(),
                List.copyOf(violations));
    }

    /** Whether all projections have processed all that is stored. */
    public static boolean isComplete(Collection<StoredAccount> accounts) {
        return accounts.stream()
                .allMatch(account -> ModelCheck.isComplete(account, AccountHistory.of(account, new ArrayList<>())));
    }
}
