package io.varve.simulation;

import java.io.PrintStream;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** {@code ./varve simulate}: worlds one after another, until one breaks a promise. */
public final class Main {
    private static final int LINES = 300;
    private static final int PROGRESS = 500;

    private Main() {}

    /**
     * Options: {@code --seed FIRST}, {@code --seeds N}, {@code --minutes M}, {@code --log}, {@code --with FEATURES}, {@code --without
     * FEATURES}, {@code --shrink}, {@code --go-on}; {@code --mutants} and {@code --mutant NAME} put faults in, with the sources under {@code --root
     * FOLDER}.
     */
    public static void main(String[] args) {
        System.exit(run(Options.of(args), System.out));
    }

    static int run(Options options, PrintStream out) {
        if (options.mutants()) {
            return MutantTable.print(
                    Mutants.all().stream()
                            .filter(mutant -> mutant.name().startsWith(options.only()))
                            .map(mutant -> mutant.chosen(mutant.choice().changedBy(options.choice())))
                            .toList(),
                    options.first(),
                    options.seeds(),
                    options.root(),
                    out);
        }
        return options.shrink() ? shrink(options, out) : worlds(options, out);
    }

    private static int worlds(Options options, PrintStream out) {
        long begun = System.nanoTime();
        long end = begun + Duration.ofMinutes(options.minutes()).toNanos();
        Map<Rare, Integer> met = new EnumMap<>(Rare.class);
        long worlds = 0;
        int broken = 0;
        for (long seed = options.first();
                worlds < options.seeds() && System.nanoTime() < end && (broken == 0 || options.goesOn());
                seed++, worlds++) {
            Simulation simulation = new Simulation(seed, options.choice(), options.wholeLog());
            try {
                simulation.run();
                simulation.world().log().forEach(out::println);
                simulation.world().met().forEach((rare, times) -> met.merge(rare, times, Integer::sum));
            } catch (BrokenPromise e) {
                broken++;
                if (options.goesOn()) {
                    out.println("World " + seed + ": " + e.getMessage());
                } else {
                    tell(seed, e, options, out);
                }
            }
            if ((worlds + 1) % PROGRESS == 0) {
                out.printf(
                        "%d worlds, the last one %d, %.1f a second%n",
                        worlds + 1, seed, (worlds + 1) / ((System.nanoTime() - begun) / 1e9));
            }
        }
        if (broken > 0) {
            return broken;
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

    /** Lives through the same world again, to tell its story. */
    private static void tell(long seed, BrokenPromise promise, Options options, PrintStream out) {
        Simulation again = new Simulation(seed, options.choice(), true);
        try {
            again.run();
            throw new IllegalStateException("World " + seed + " was another one when it was run again.", promise);
        } catch (BrokenPromise e) {
            List<String> log = again.world().log().stream()
                    .filter(line -> options.wholeLog() || line.contains(e.about()))
                    .toList();
            log.subList(options.wholeLog() ? 0 : Math.max(0, log.size() - LINES), log.size())
                    .forEach(out::println);
        }
        out.println();
        out.println("World " + seed + ": " + promise.getMessage());
        out.println("Again, with all that happened: " + command(seed, options) + " --log");
        out.println("Which features it needs:       " + command(seed, options) + " --shrink");
    }

    private static String command(long seed, Options options) {
        return "./varve simulate --seed " + seed + " --seeds 1"
                + options.choice().options();
    }

    private static int shrink(Options options, PrintStream out) {
        Optional<Shrinking> shrunk = Shrinking.of(options.first(), options.choice());
        if (shrunk.isEmpty()) {
            out.println("World " + options.first() + " keeps every promise.");
            return 0;
        }
        out.println("World " + options.first() + " breaks a promise with these features, and with none of them less:");
        shrunk.get().needed().forEach(feature -> out.println("  " + feature));
        out.println(shrunk.get().promise());
        out.println("Again: ./varve simulate --seed " + options.first() + " --seeds 1"
                + shrunk.get().choice().options());
        return 1;
    }
}
