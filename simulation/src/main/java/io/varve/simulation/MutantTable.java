package io.varve.simulation;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;

/** {@code ./varve simulate --mutants}: which fault is found by which world. */
final class MutantTable {
    private MutantTable() {}

    /** Runs mutants and prints a row for each; how many were not found. */
    static int print(List<Mutant> mutants, long first, long most, Path root, PrintStream out) {
        int missed = 0;
        out.printf("Written by `./varve simulate --mutants` on %s.%n%n", LocalDate.now(ZoneOffset.UTC));
        out.println("| mutant | what it breaks | very often in its worlds | found by seed | after worlds | the broken promise |");
        out.println("|---|---|---|---|---|---|");
        for (Mutant mutant : mutants) {
            long worlds = Math.min(most, mutant.within());
            Optional<Found> found = new MutantRun(root).run(mutant, first, worlds);
            missed += found.isPresent() ? 0 : 1;
            out.printf(
                    "| `%s` | %s | %s | %s | %s | %s |%n",
                    mutant.name(),
                    mutant.breaks(),
                    chosen(mutant.choice()),
                    found.map(f -> Long.toString(f.seed())).orElse("none"),
                    found.map(f -> Long.toString(f.worlds())).orElse("not within " + worlds),
                    found.map(f -> f.promise().replace("|", "\\|")).orElse(""));
            out.flush();
        }
        return missed;
    }

    private static String chosen(Choice choice) {
        String with = Choice.labels(choice.with()).replace(",", ", ");
        return choice.without().isEmpty()
                ? with
                : with + "; not " + Choice.labels(choice.without()).replace(",", ", ");
    }
}
