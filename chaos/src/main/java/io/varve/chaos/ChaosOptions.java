package io.varve.chaos;

import io.varve.chaos.nemesis.FaultKind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.stream.Stream;

/**
 * The command line.
 *
 * @param seed what the faults, their order and the operations are drawn from
 * @param faults exactly these instead of drawn ones, if there are any
 * @param keep whether the folder of a run without a finding stays
 * @param soak a long run without faults, of so many events
 * @param accounts how many there are, if not as many as usual
 * @param terminal whether a line on the output can change, which only the front door knows
 */
record ChaosOptions(
        Duration time,
        long seed,
        List<FaultKind> faults,
        boolean keep,
        Path out,
        boolean soak,
        int events,
        OptionalInt accounts,
        boolean terminal,
        boolean help) {
    private static final int FEWEST_ACCOUNTS = 4;

    static final String USAGE = """
            usage: ./varve chaos [--minutes N] [--seed S] [--faults LIST] [--accounts N] [--keep] [--out DIR]
                   ./varve chaos --soak [--events N] [--accounts N] [--out DIR]

              --minutes N     make faults for so long (default: 3)
              --seed S        faults, their order and the operations (default: another one each time)
              --faults LIST   exactly these, separated by commas, each once: %s
              --keep          keep the folder of the run, with tables and logs, also if nothing was found
              --out DIR       where the folder is made (default: varve-chaos)
              --soak          no faults: a long run that watches memory, threads and connections
              --events N      of so many events (default: 200000)
              --accounts N    so many accounts, 4 or more (default: 24, and 5000 with --soak)
            """.formatted(String.join(
            ",", Stream.of(FaultKind.values()).map(Object::toString).toList()));

    /** Input that cannot be used; the message is one line for the user. */
    static final class InvalidException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        InvalidException(String message) {
            super(message);
        }
    }

    /** Reads the command line; of an option that is given twice, the last one counts. */
    static ChaosOptions parse(List<String> arguments) {
        ChaosOptions options = new ChaosOptions(
                Duration.ofMinutes(3),
                System.nanoTime() % 1_000_000,
                List.of(),
                false,
                Path.of("varve-chaos"),
                false,
                200_000,
                OptionalInt.empty(),
                false,
                false);
        Iterator<String> rest = arguments.iterator();
        while (rest.hasNext()) {
            options = options.with(rest.next(), rest);
        }
        return options;
    }

    private ChaosOptions with(String option, Iterator<String> rest) {
        Duration time = this.time;
        long seed = this.seed;
        List<FaultKind> faults = this.faults;
        boolean keep = this.keep;
        Path out = this.out;
        boolean soak = this.soak;
        int events = this.events;
        OptionalInt accounts = this.accounts;
        boolean terminal = this.terminal;
        boolean help = this.help;
        switch (option) {
            case "--minutes" -> time = Duration.ofSeconds(Math.round(60 * decimal(option, rest)));
            case "--seed" -> seed = (long) decimal(option, rest);
            case "--faults" ->
                faults = Stream.of(value(option, rest).split(",", -1))
                        .map(ChaosOptions::fault)
                        .toList();
            case "--keep" -> keep = true;
            case "--out" -> out = Path.of(value(option, rest));
            case "--soak" -> soak = true;
            case "--events" -> events = (int) decimal(option, rest);
            case "--accounts" -> accounts = OptionalInt.of(accounts(option, rest));
            case "--terminal" -> terminal = true;
            case "-h", "--help" -> help = true;
            default ->
                throw new InvalidException("unknown option '" + option + "'; ./varve chaos --help lists what there is");
        }
        return new ChaosOptions(time, seed, faults, keep, out, soak, events, accounts, terminal, help);
    }

    private static int accounts(String option, Iterator<String> rest) {
        int accounts = (int) decimal(option, rest);
        if (accounts < FEWEST_ACCOUNTS) {
            throw new InvalidException(option + " needs " + FEWEST_ACCOUNTS + " or more");
        }
        return accounts;
    }

    private static FaultKind fault(String name) {
        try {
            return FaultKind.valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
        } catch (IllegalArgumentException e) {
            throw new InvalidException("there is no fault '" + name + "'; ./varve chaos --help lists them");
        }
    }

    private static String value(String option, Iterator<String> rest) {
        if (!rest.hasNext()) {
            throw new InvalidException(option + " needs a value; ./varve chaos --help shows how");
        }
        return rest.next();
    }

    private static double decimal(String option, Iterator<String> rest) {
        String text = value(option, rest);
        try {
            double number = Double.parseDouble(text);
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new InvalidException(option + " needs a number that is not negative, not '" + text + "'");
    }
}
