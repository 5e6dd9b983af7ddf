package io.varve.benchmark.speed;

import com.typesafe.config.Config;
import io.varve.benchmark.command.CommandOptions;
import io.varve.benchmark.command.ProgressLog;
import io.varve.benchmark.report.Report;
import io.varve.benchmark.report.ReportTable;
import io.varve.benchmark.report.Runs;
import io.varve.benchmark.server.LocalServer;
import io.varve.benchmark.side.MeasuredJvm;
import io.varve.benchmark.side.MeasuredJvms;
import io.varve.benchmark.side.Side;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** How long entities take to recover: single ones with many events, and many at once. */
public final class Recoveries implements AutoCloseable {
    private static final List<String> COLUMNS =
            List.of("recovery", "side", "ms", "to predecessor", "client CPU ms", "server CPU ms");

    /** Rounds that are not counted, so that the code of a recovery is compiled. */
    private static final int SETTLING = 20;

    /** One run: how long it took, and what client and server computed meanwhile. */
    public record Run(double millis, double clientCpuMillis, double serverCpuMillis) {}

    private final MeasuredJvms jvms;
    private final LocalServer server;
    private final CommandOptions options;
    private final int manyEvents;
    private final List<String> many;

    Recoveries(
            MeasuredJvms jvms,
            LocalServer server,
            CommandOptions options,
            int manyEvents,
            Function<Side, Side.Tables> tables) {
        this.jvms = jvms;
        this.server = server;
        this.options = options;
        this.manyEvents = manyEvents;
        this.many = LocalServer.entities("many", options.positive("many"));
        jvms.all().forEach(jvm -> jvm.open(tables.apply(jvm.side())));
    }

    /** Writes the events, all sides at the same time. */
    void prepare() {
        jvms.together(this::prepare);
    }

    private void prepare(MeasuredJvm jvm) {
        write(jvm, many, manyEvents);
        options.numbers("recover").forEach(events -> write(jvm, one(events), events));
    }

    private static void write(MeasuredJvm jvm, List<String> ids, int events) {
        jvm.recover(ids);
        jvm.persist(ids, events, 1);
        jvm.stop(ids);
    }

    public Report measure(int latency) {
        List<List<String>> rows = new ArrayList<>();
        List<Map<String, Object>> figures = new ArrayList<>();
        for (int events : options.numbers("recover")) {
            add(latency, "1 entity of " + events + " events", one(events), events, rows, figures);
        }
        String name = many.size() + " entities of " + manyEvents + " events at once";
        add(latency, name, many, (long) many.size() * manyEvents, rows, figures);
        String title = "Recovery, DynamoDB Local, %d ms added to each request".formatted(latency);
        return new Report(List.of(new ReportTable(title, COLUMNS, rows)), figures);
    }

    private void add(
            int latency,
            String name,
            List<String> ids,
            long events,
            List<List<String>> rows,
            List<Map<String, Object>> figures) {
        Map<Side, List<Run>> measured = measure(jvms, server, ids, events, options.positive("runs"), SETTLING);
        measured.forEach((side, runs) -> {
            Runs millis = runs(runs, Run::millis);
            List<Run> peer = measured.get(Side.PEER);
            rows.add(List.of(
                    name,
                    side.title(),
                    rounded(millis.median()),
                    peer == null ? "" : millis.to(runs(peer, Run::millis)).withSpread(),
                    rounded(mean(runs, Run::clientCpuMillis)),
                    rounded(mean(runs, Run::serverCpuMillis))));
            Map<String, Object> figure = new LinkedHashMap<>();
            figure.put("recovery", name);
            figure.put("latency", latency);
            figure.put("side", side.word());
            figure.put("millis", millis.values());
            figure.put("clientCpuMillis", runs(runs, Run::clientCpuMillis).values());
            figure.put("serverCpuMillis", runs(runs, Run::serverCpuMillis).values());
            figures.add(figure);
        });
    }

    private static Runs runs(List<Run> runs, ToDoubleFunction<Run> figure) {
        return new Runs(runs.stream().mapToDouble(figure).boxed().toList());
    }

    /** Of figures that the operating system counts in steps of ten milliseconds. */
    private static double mean(List<Run> runs, ToDoubleFunction<Run> figure) {
        return runs.stream().mapToDouble(figure).average().orElseThrow();
    }

    private static String rounded(double figure) {
        return String.format(Locale.ROOT, "%.1f", figure);
    }

    /** The runs of each side, after those that do not count. */
    public static Map<Side, List<Run>> measure(
            MeasuredJvms jvms, LocalServer server, List<String> ids, long events, int runs, int settling) {
        ProgressLog.tell("recovery: {} entities, {} events", ids.size(), events);
        jvms.takeTurns(settling, jvm -> recover(jvm, server, ids, events));
        Map<Side, List<Run>> measured = new EnumMap<>(Side.class);
        jvms.takeTurns(
                runs,
                jvm -> measured.computeIfAbsent(jvm.side(), side -> new ArrayList<>())
                        .add(recover(jvm, server, ids, events)));
        return measured;
    }

    private static Run recover(MeasuredJvm jvm, LocalServer server, List<String> ids, long events) {
        Duration before = server.cpu();
        Config recovered = jvm.recover(ids);
        Duration after = server.cpu();
        jvm.stop(ids);
        if (recovered.getLong("events") != events) {
            throw new IllegalStateException(
                    "%s recovered %d of %d events".formatted(jvm.side().title(), recovered.getLong("events"), events));
        }
        return new Run(
                recovered.getLong("nanos") / 1e6,
                recovered.getLong("cpuNanos") / 1e6,
                after.minus(before).toNanos() / 1e6);
    }

    private static List<String> one(int events) {
        return List.of("bench|one-of-" + events);
    }

    @Override
    public void close() {
        jvms.all().forEach(MeasuredJvm::closeNode);
    }
}
