package io.varve.simulation;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** {@code ./varve simulate --mutants}: which fault is found by which world. */
final class MutantTable {
    private MutantTable() {}

    /** A mutant, in how many worlds it was looked for, and what was found. */
    private record Row(Mutant mutant, long worlds, Optional<Found> found) {
        @Override
        public String toString() {
            return "| `%s` | %s | %s | %s | %s | %s |"
                    .formatted(
                            mutant.name(),
                            mutant.breaks(),
                            chosen(mutant.choice()),
                            found.map(f -> Long.toString(f.seed())).orElse("none"),
                            found.map(f -> Long.toString(f.worlds())).orElse("not within " + worlds),
                            found.map(f -> f.promise().replace("|", "\\|")).orElse(""));
        }

        private static String chosen(Choice choice) {
            String with = Choice.labels(choice.with()).replace(",", ", ");
            return choice.without().isEmpty()
                    ? with
                    : with + "; not " + Choice.labels(choice.without()).replace(",", ", ");
        }
    }

    /** Runs mutants, as many at once as there are processors, and prints a row for each; how many were not found. */
    static int print(List<Mutant> mutants, long first, long most, Path root, PrintStream out) {
        int missed = 0;
        ExecutorService processors =
                Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
        try {
            List<CompletableFuture<Row>> rows = mutants.stream()
                    .map(mutant -> CompletableFuture.supplyAsync(() -> row(mutant, first, most, root), processors))
                    .toList();
            out.printf("Written by `./varve simulate --mutants` on %s.%n%n", LocalDate.now(ZoneOffset.UTC));
            out.println(
                    "| mutant | what it breaks | very often in its worlds | found by seed | after worlds | the broken promise |");
            out.println("|---|---|---|---|---|---|");
            for (CompletableFuture<Row> running : rows) {
                Row row = running.join();
                missed += row.found().isPresent() ? 0 : 1;
                out.println(row);
                out.flush();
            }
        } finally {
            processors.shutdownNow();
        }
        return missed;
    }

    private static Row row(Mutant mutant, long first, long most, Path root) {
        long worlds = Math.min(most, mutant.within());
        return new Row(mutant, worlds, new MutantRun(root).run(mutant, first, worlds));
    }
}
