package io.varve.simulation;

import java.io.PrintStream;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** {@code ./varve simulate}: worlds one after another, until one breaks a promise. */
public final class Main {
    private static final int LINES = 300;

    private Main() {}

    /**
     * Options: {@code --seed FIRST}, {@code --seeds N}, {@code --minutes M}, {@code --log}; {@code --mutants} and {@code --mutant
     * NAME} put faults in, with the sources under {@code --root FOLDER}.
     */
    public static void main(String[] args) {
        System.exit(run(Options.of(args), System.out));
    }

    static int run(Options options, PrintStream out) {
        if (options.mutants()) {
            return MutantTable.print(
                    Mutants.all().stream()
                            .filter(mutant -> mutant.name().startsWith(options.only()))
                            .toList(),
                    options.first(),
                    options.seeds(),
                    options.root(),
                    out);
        }
        long begun = System.nanoTime();
        long end = begun + Duration.ofMinutes(options.minutes()).toNanos();
        Map<Rare, Integer> met = new EnumMap<>(Rare.class);
        long worlds = 0;
        for (long seed = options.first(); worlds < options.seeds() && System.nanoTime() < end; seed++, worlds++) {
            Simulation simulation = new Simulation(seed, false);
            try {
                simulation.run();
            } catch (BrokenPromise e) {
                List<String> log = simulation.world().log().stream()
                        .filter(line -> options.wholeLog() || line.contains(e.about()))
                        .toList();
                log.subList(options.wholeLog() ? 0 : Math.max(0, log.size() - LINES), log.size())
                        .forEach(out::println);
                out.println();
                out.println("World " + seed + ": " + e.getMessage());
                out.println("Again, with all that happened: ./varve simulate --seed " + seed + " --seeds 1 --log");
                return 1;
            }
            simulation.world().met().forEach((rare, times) -> met.merge(rare, times, Integer::sum));
            if ((worlds + 1) % 100 == 0) {
                out.printf(
                        "%d worlds, the last one %d, %.1f a second%n",
                        worlds + 1, seed, (worlds + 1) / ((System.nanoTime() - begun) / 1e9));
            }
        }
        out.println(worlds + " worlds from " + options.first()
                + " on: every promise was kept. What is rare happened this often:");
        for (Rare rare : Rare.values()) {
            out.printf(
                    "%10d  %s%n",
                    met.getOrDefault(rare, 0),
                    rare.name().toLowerCase(Locale.ROOT).replace('_', ' '));
        }
        return 0;
    }
}
