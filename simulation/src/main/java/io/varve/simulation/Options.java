package io.varve.simulation;

import java.nio.file.Path;
import java.util.OptionalLong;

/** What was asked for on the command line. */
record Options(long first, long seeds, long minutes, boolean wholeLog, boolean mutants, String only, Path root) {

    static Options of(String... args) {
        long first = 0;
        OptionalLong seeds = OptionalLong.empty();
        long minutes = 60;
        boolean log = false;
        boolean mutants = false;
        String only = "";
        Path root = Path.of(".");
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "--seed" -> first = number(args, ++i);
                case "--seeds" -> seeds = OptionalLong.of(number(args, ++i));
                case "--minutes" -> minutes = number(args, ++i);
                case "--log" -> log = true;
                case "--mutants" -> mutants = true;
                case "--root" -> root = Path.of(text(args, ++i));
                case "--mutant" -> {
                    mutants = true;
                    only = text(args, ++i);
                }
                default ->
                    throw new IllegalArgumentException("Unknown option '" + args[i]
                            + "': --seed FIRST, --seeds N, --minutes M, --log, --mutants and --mutant NAME are known.");
            }
        }
        return new Options(first, seeds.orElse(mutants ? Long.MAX_VALUE : 1_000), minutes, log, mutants, only, root);
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
