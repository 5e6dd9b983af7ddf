package io.varve.chaos;

import io.varve.chaos.check.BankCheck;
import io.varve.chaos.nemesis.FaultKind;
import java.util.ArrayList;
import java.util.List;

/** What a run has survived and what was checked, as tables in Markdown. */
final class ChaosReport {
    private ChaosReport() {}

    static List<String> lines(ChaosOptions options, ChaosRun.Result result) {
        List<String> lines = new ArrayList<>();
        lines.add("");
        lines.add("| fault | survived |");
        lines.add("|---|---|");
        for (FaultKind kind : FaultKind.values()) {
            lines.add("| %s | %d |".formatted(kind, result.survived().getOrDefault(kind, 0)));
        }
        BankCheck.Result check = result.check();
        lines.add("");
        lines.add("| checked | |");
        lines.add("|---|---|");
        lines.add("| seed | %d |".formatted(options.seed()));
        lines.add("| starts of nodes | %d |".formatted(result.starts()));
        lines.add("| operations acknowledged | %d |".formatted(check.acknowledged()));
        lines.add("| operations refused | %d |".formatted(check.refused()));
        lines.add("| operations whose end nobody knows | %d, of which %d are stored |"
                .formatted(check.unknown(), check.unknownStored()));
        lines.add("| transfers complete | %d |".formatted(check.transfers()));
        lines.add("| events | %d |".formatted(check.events()));
        lines.add("| events processed by projections | %d |".formatted(check.processed()));
        lines.add("| accounts written by both sides of a split cluster | %d |".formatted(result.writtenByBothSides()));
        lines.add("| broken promises | %d |".formatted(result.failures().size()));
        return lines;
    }
}
