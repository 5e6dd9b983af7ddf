package io.varve.benchmark.speed;

import io.varve.benchmark.command.CommandOptions;
import io.varve.benchmark.report.Report;
import io.varve.benchmark.server.LocalServer;
import io.varve.benchmark.server.ResponderProcess;
import io.varve.benchmark.server.Responders;
import io.varve.benchmark.side.MeasuredJvm;
import io.varve.benchmark.side.MeasuredJvms;
import io.varve.benchmark.side.Side;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * How fast each side is, and what it takes of the client's machine.
 *
 * <p>Each side runs in a JVM of its own, which lives as long as the measurement; the sides take turns, run by run, so that whatever
 * else the machine does meets all of them. First all warm up against a responder that answers at once.
 */
public final class SpeedBench {
    public static final Map<String, String> DEFAULTS = Map.ofEntries(
            Map.entry("runs", "5"),
            Map.entry("seconds", "2"),
            Map.entry("warm-up", "200000"),
            Map.entry("entities", "1,100,1000"),
            Map.entry("async", "0"),
            Map.entry("latency", "0,5"),
            Map.entry("backends", "responder,local"),
            Map.entry("tls", "off"),
            Map.entry("sides", "varve,no-index,peer,sdk"),
            Map.entry("recover", "1000,10000"),
            Map.entry("many", "200"),
            Map.entry("java", ""),
            Map.entry("other", ""),
            Map.entry("settings", ""));

    private static final int MANY_EVENTS = 50;
    private static final String RESPONDER = "responder";

    private final CommandOptions options;
    private final List<Side> sides;
    private final List<String> backends;
    private final List<Integer> latencies;

    /** Checks the options. */
    public SpeedBench(CommandOptions options) {
        this.options = options;
        // The bare client has no entities that could persist asynchronously.
        this.sides = sides(options).stream()
                .filter(side -> side != Side.SDK || options.number("async") == 0)
                .toList();
        this.backends = options.words("backends", List.of(RESPONDER, "local"));
        this.latencies = options.numbers("latency");
        options.positive("seconds");
        options.positive("runs");
        options.flag("tls");
        if (sides.contains(Side.OTHER) == options.text("other").isEmpty()) {
            throw new CommandOptions.UsageException(
                    "--other DIR, the folder of another checkout, and the side other need each other");
        }
    }

    static List<Side> sides(CommandOptions options) {
        List<String> all = Arrays.stream(Side.values()).map(Side::word).toList();
        List<String> chosen = options.words("sides", all);
        return Arrays.stream(Side.values())
                .filter(side -> chosen.contains(side.word()))
                .toList();
    }

    /** Measures writes and recoveries. */
    public Report run() throws Exception {
        Responders responders = Responders.of(options.flag("tls"));
        List<String> java = new ArrayList<>(MeasuredJvm.OPTIONS);
        java.addAll(responders.clientOptions());
        Arrays.stream(options.text("java").split(" "))
                .filter(word -> !word.isEmpty())
                .forEach(java::add);
        try (MeasuredJvms jvms = MeasuredJvms.start(sides, java, options.text("settings"), options.text("other"))) {
            warmUp(jvms, responders);
            Report report = Report.EMPTY;
            if (backends.contains(RESPONDER)) {
                report = report.and(againstResponder(jvms, responders));
            }
            if (backends.contains("local")) {
                report = report.and(againstLocal(jvms));
            }
            return report;
        }
    }

    private void warmUp(MeasuredJvms jvms, Responders responders) throws Exception {
        try (ResponderProcess responder = responders.start(Duration.ZERO)) {
            Writes writes = new Writes(jvms, options.number("warm-up"), 1);
            writes.measure("warm-up", tables(responder.endpoint()), 100, 1, Duration.ofMillis(1));
        }
    }

    private Report againstResponder(MeasuredJvms jvms, Responders responders) throws Exception {
        Report report = Report.EMPTY;
        for (int latency : latencies) {
            try (ResponderProcess responder = responders.start(Duration.ofMillis(latency))) {
                report = report.and(writes(jvms, responders.title(latency), tables(responder.endpoint())));
            }
        }
        return report;
    }

    private Report againstLocal(MeasuredJvms jvms) throws Exception {
        try (LocalServer server = new LocalServer()) {
            Map<Side, Side.Tables> tables = server.createTables(sides);
            Report report = Report.EMPTY;
            for (int latency : latencies) {
                server.latency(Duration.ofMillis(latency));
                report = report.and(writes(
                        jvms,
                        "DynamoDB Local, %d ms added to each request".formatted(latency),
                        side -> Side.tables(tables, side)));
            }
            server.latency(Duration.ZERO);
            try (Recoveries recoveries =
                    new Recoveries(jvms.entities(), server, options, MANY_EVENTS, side -> Side.tables(tables, side))) {
                recoveries.prepare();
                for (int latency : latencies) {
                    server.latency(Duration.ofMillis(latency));
                    report = report.and(recoveries.measure(latency).shown());
                }
            }
            return report;
        }
    }

    private Report writes(MeasuredJvms jvms, String backend, Function<Side, Side.Tables> tables) {
        int burst = Math.max(1, options.number("async"));
        Comparison comparison = new Comparison(
                burst == 1 ? backend : backend + ", bursts of " + burst + " persistAsync",
                sides.contains(Side.OTHER) ? Side.OTHER : Side.PEER);
        Writes writes = new Writes(jvms, 0, burst);
        for (int entities : options.numbers("entities")) {
            Duration duration = Duration.ofSeconds(options.positive("seconds"));
            try {
                comparison.add(
                        entities, writes.measure("writes", tables, entities, options.positive("runs"), duration));
            } catch (MeasuredJvm.CommandException e) {
                comparison.addFailure(entities, e); // a result, too: the server was too slow for so many
            }
        }
        return comparison.report().shown();
    }

    private static Function<Side, Side.Tables> tables(URI endpoint) {
        return side -> new Side.Tables(endpoint, "journal", "snapshots");
    }
}
