package io.varve.simulation;

import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * What was asked for on the command line.
 *
 * @param first the seed of the first world
 * @param seeds how many worlds
 * @param minutes how long at most
 * @param wholeLog whether all that happened is printed when a promise is broken
 * @param goesOn whether worlds go on after one that breaks a promise
 * @param choice what all worlds have, and what none has
 * @param shrink whether to find out which features the first world needs to break a promise
 * @param mutants whether to put faults in
 * @param only how the names of those begin
 * @param root the folder with the sources
 */
record Options(
        long first,
        long seeds,
        long minutes,
        boolean wholeLog,
        boolean goesOn,
        Choice choice,
        boolean shrink,
        boolean mutants,
        String only,
        Path root) {
    private static final long SEEDS = 1_000;

    static Options of(String... args) {
        long first = 0;
        OptionalLong seeds = OptionalLong.empty();
        long minutes = 600;
        boolean log = false;
        boolean goesOn = false;
        String with = "";
        String without = "";
        boolean shrink = false;
        boolean mutants = false;
        String only = "";
        Path root = Path.of(".");
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "--seed" -> first = number(args, ++i);
                case "--seeds" -> seeds = OptionalLong.of(number(args, ++i));
                case "--minutes" -> minutes = number(args, ++i);
                case "--log" -> log = true;
                case "--go-on" -> goesOn = true;
                case "--with" -> with = text(args, ++i);
                case "--without" -> without = text(args, ++i);
                case "--shrink" -> shrink = true;
                case "--mutants" -> mutants = true;
                case "--root" -> root = Path.of(text(args, ++i));
                case "--mutant" -> {
                    mutants = true;
                    only = text(args, ++i);
                }
                default ->
                    throw new IllegalArgumentException("Unknown option '" + args[i]
                            + "': --seed FIRST, --seeds N, --minutes M, --log, --go-on, --with FEATURES, --without FEATURES,"
                            + " --shrink, --mutants and --mutant NAME are known.");
            }
        }
        return new Options(
                first,
                seeds.orElse(mutants ? Long.MAX_VALUE : SEEDS),
                minutes,
                log,
                goesOn,
                Choice.parse(with, without),
                shrink,
                mutants,
                only,
                root);
    }

    private static String text(String[] args, int i) {
        if (i >= args.length) {
            throw new IllegalArgumentException(args[i - 1] + " needs a value.");
        }
        return args[i];
    }

    private static long number(String[] args, int i) {
        try {
            return Long.parseLong(text(args, i));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(args[i - 1] + " needs a number, not '" + args[i] + "'.", e);
        }
    }
}
