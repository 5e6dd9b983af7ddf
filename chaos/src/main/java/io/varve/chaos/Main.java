package io.varve.chaos;

import io.varve.chaos.soak.Soak;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import org.slf4j.LoggerFactory;

/** The command {@code ./varve chaos}. */
public final class Main {
    private static final int MOST_FAILURES = 30;
    private static final int SOAK_ACCOUNTS = 5000;

    private Main() {}

    /** Runs it and ends the JVM: 0 if all promises were kept, 1 if not, 2 for input that cannot be used. */
    public static void main(String[] arguments) throws Exception {
        System.exit(run(List.of(arguments), System.out, System.err));
    }

    static int run(List<String> arguments, PrintStream out, PrintStream err) throws InterruptedException, IOException {
        LoggerFactory.getILoggerFactory(); // now, not from several threads at once
        try {
            ChaosOptions options = ChaosOptions.parse(arguments);
            if (options.help()) {
                out.print(ChaosOptions.USAGE);
                return 0;
            }
            return options.soak() ? soak(options, out) : chaos(options, out);
        } catch (ChaosOptions.InvalidException e) {
            err.println("varve chaos: " + e.getMessage());
            return 2;
        }
    }

    private static int chaos(ChaosOptions options, PrintStream out) throws InterruptedException, IOException {
        try (RunFolder folder = RunFolder.create(options.out(), options.seed())) {
            out.println("Seed " + options.seed() + ", evidence in " + folder.path());
            ChaosRun.Result result;
            try (ChaosRun run = new ChaosRun(options, folder, new StatusLine(out, options.terminal()))) {
                Thread end = endsWithThisJvm(run::close, folder);
                result = run.run();
                Runtime.getRuntime().removeShutdownHook(end);
            }
            return report(options, result, folder, out);
        }
    }

    private static int report(ChaosOptions options, ChaosRun.Result result, RunFolder folder, PrintStream out) {
        List<String> report = ChaosReport.lines(options, result);
        report.forEach(out::println);
        folder.write("report.md", report);
        if (result.failures().isEmpty()) {
            out.println("\nAll promises were kept.");
            if (!options.keep()) {
                folder.delete();
            }
            return 0;
        }
        folder.write("broken.txt", result.failures());
        out.println("\nBroken promises:");
        result.failures().stream().limit(MOST_FAILURES).forEach(out::println);
        out.println("All of them are in " + folder.path().resolve("broken.txt") + ", with tables and logs beside it.");
        return 1;
    }

    private static int soak(ChaosOptions options, PrintStream out) throws InterruptedException, IOException {
        try (RunFolder folder = RunFolder.create(options.out(), options.seed())) {
            out.println("Evidence in " + folder.path());
            List<String> findings;
            try (Soak soak = new Soak(
                    folder.path(),
                    folder.tables(),
                    options.events(),
                    options.accounts().orElse(SOAK_ACCOUNTS),
                    options.seed(),
                    out)) {
                Thread end = endsWithThisJvm(soak::close, folder);
                findings = soak.run();
                Runtime.getRuntime().removeShutdownHook(end);
            }
            findings.forEach(out::println);
            return findings.isEmpty() ? 0 : 1;
        }
    }

    /** Ends all processes when this one is told to end, and then keeps the evidence. */
    private static Thread endsWithThisJvm(Runnable processes, RunFolder folder) {
        Thread end = new Thread(
                () -> {
                    processes.run();
                    folder.close();
                },
                "chaos-end");
        Runtime.getRuntime().addShutdownHook(end);
        return end;
    }
}
