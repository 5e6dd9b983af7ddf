package io.varve.chaos.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Compares histories with the clients' logs: what was acknowledged is there once, under its number; nothing else but what is unknown. */
final class OperationCheck {
    private final OperationLog log;
    private final Map<String, List<String>> histories;
    private final List<Violation> violations;
    private final Map<String, List<Place>> places = new HashMap<>();

    /** Where a line stands. */
    private record Place(String account, long number, String line) {}

    OperationCheck(OperationLog log, Map<String, List<String>> histories, List<Violation> violations) {
        this.log = log;
        this.histories = histories;
        this.violations = violations;
    }

    void run() {
        histories.forEach((account, lines) -> {
            for (int i = 0; i < lines.size(); i++) {
                Place place = new Place(account, i + 1, lines.get(i));
                places.computeIfAbsent(Operation.nameIn(place.line()), name -> new ArrayList<>())
                        .add(place);
            }
        });
        places.forEach((name, found) -> {
            if (!log.byName().containsKey(name)) {
                report(found.get(0), "is of an operation that nobody has asked for");
            }
        });
        log.all().forEach(this::check);
    }

    private void check(Operation operation) {
        List<Place> found = places.getOrDefault(operation.name(), List.of());
        if (operation.isAcknowledged() && found.isEmpty()) {
            violations.add(new Violation(
                    operation.account(),
                    "%s was acknowledged as %s and is lost"
                            .formatted(operation.name(), operation.acknowledgedNumbers())));
            return;
        }
        if (found.isEmpty()) {
            return;
        }
        Place first = found.get(0);
        if (operation.isRefused()) {
            report(first, "is of an operation that was refused");
        }
        List<String> expected = operation.lines();
        if (found.size() > expected.size()) {
            report(found.get(expected.size()), "is there a second time");
        } else if (!found.stream().map(Place::line).toList().equals(expected)) {
            report(first, "is not all of its operation, or another one: expected " + expected);
        }
        for (int i = 0; i < found.size(); i++) {
            Place place = found.get(i);
            if (!place.account().equals(operation.account()) || place.number() != first.number() + i) {
                report(place, "is not where the other events of its operation are");
            }
        }
        for (long number : operation.acknowledgedNumbers()) {
            if (number != first.number()) {
                report(first, "was acknowledged as " + number);
            }
        }
    }

    private void report(Place place, String what) {
        violations.add(
                new Violation(place.account(), "event %d (%s) %s".formatted(place.number(), place.line(), what)));
    }
}
