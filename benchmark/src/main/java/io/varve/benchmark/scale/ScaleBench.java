package io.varve.benchmark.scale;

import com.typesafe.config.Config;
import io.varve.benchmark.command.CommandOptions;
import io.varve.benchmark.delivery.ProjectionSpeed;
import io.varve.benchmark.report.Report;
import io.varve.benchmark.report.Runs;
import io.varve.benchmark.server.LocalServer;
import io.varve.benchmark.server.ResponderProcess;
import io.varve.benchmark.side.MeasuredJvm;
import io.varve.benchmark.side.MeasuredJvms;
import io.varve.benchmark.side.Side;
import io.varve.benchmark.speed.Comparison;
import io.varve.benchmark.speed.Recoveries;
import io.varve.benchmark.speed.Writes;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;

/** How each side grows with the size of an entity, the number of entities and of writers, and projections with their backlog. */
public final class ScaleBench {
    public static final Map<String, String> DEFAULTS = Map.of(
            "events", "100,1000,10000,100000",
            "entities", "100,1000,10000",
            "writers", "10,100,1000",
            "backlog", "1000,10000,100000",
            "latency", "5",
            "runs", "3",
            "seconds", "3",
            "warm-up", "50000");

    private static final List<Side> SIDES = List.of(Side.VARVE, Side.PEER);
    private static final int BATCH = 50;
    private static final int EVENTS_OF_EACH = 5;

    private final CommandOptions options;
    private final Duration latency;
    private final int runs;

    /** Checks the options. */
    public ScaleBench(CommandOptions options) {
        this.options = options;
        this.latency = Duration.ofMillis(options.number("latency"));
        this.runs = options.positive("runs");
    }

    /** Measures all kinds of growth. */
    public Report run() throws Exception {
        try (MeasuredJvms jvms = MeasuredJvms.start(SIDES, MeasuredJvm.OPTIONS, "", "")) {
            Report report = writers(jvms);
            try (LocalServer server = new LocalServer()) {
                Map<Side, Side.Tables> tables = server.createTables(SIDES);
                jvms.all().forEach(jvm -> jvm.open(Side.tables(tables, jvm.side())));
                report = report.and(sizes(jvms, server)).and(entities(jvms, server));
                jvms.all().forEach(MeasuredJvm::closeNode);
            }
            return report.and(backlogs(jvms));
        }
    }

    private Report writers(MeasuredJvms jvms) throws Exception {
        Growth growth = new Growth(
                "writers",
                "Writers at once, responder, answers after " + latency.toMillis() + " ms",
                "writers",
                List.of("events/s", "p99 ms", "CPU µs/event"));
        try (ResponderProcess responder = new ResponderProcess(latency)) {
            Side.Tables tables = new Side.Tables(responder.endpoint(), "journal", "snapshots");
            new Writes(jvms, options.number("warm-up"), 1)
                    .measure("warm-up", side -> tables, 100, 1, Duration.ofMillis(1));
            for (int writers : options.numbers("writers")) {
                new Writes(jvms, 0, 1)
                        .measure(
                                "writers",
                                side -> tables,
                                writers,
                                runs,
                                Duration.ofSeconds(options.positive("seconds")))
                        .forEach((side, figures) -> growth.add(
                                writers,
                                side.title(),
                                DoubleStream.of(
                                                Comparison.runs(figures, "eventsPerSecond")
                                                        .median(),
                                                Comparison.runs(figures, "p99").median(),
                                                Comparison.runs(figures, "cpuMicros")
                                                        .median())
                                        .boxed()
                                        .toList()));
            }
        }
        return growth.report().shown();
    }

    /** One entity that becomes larger, recovered at each size. */
    private Report sizes(MeasuredJvms jvms, LocalServer server) {
        Growth growth = new Growth("events", "Recovery of one entity, " + added(), "events", List.of("ms", "events/s"));
        List<String> id = List.of("bench|growing");
        int before = 0;
        for (int events : options.numbers("events").stream().sorted().toList()) {
            int writes = (events - before) / BATCH;
            jvms.together(jvm -> {
                jvm.recover(id);
                jvm.persist(id, writes, BATCH);
                jvm.stop(id);
            });
            before += writes * BATCH;
            recover(jvms, server, id, before, before, growth);
        }
        return growth.report().shown();
    }

    /** More and more entities, all recovered at once. */
    private Report entities(MeasuredJvms jvms, LocalServer server) {
        Growth growth = new Growth(
                "entities",
                "Recovery of many entities of " + EVENTS_OF_EACH + " events at once, " + added(),
                "entities",
                List.of("ms", "events/s"));
        for (int entities : options.numbers("entities")) {
            List<String> ids = LocalServer.entities("of-" + entities, entities);
            jvms.together(jvm -> {
                jvm.recover(ids);
                jvm.persist(ids, 1, EVENTS_OF_EACH);
                jvm.stop(ids);
            });
            recover(jvms, server, ids, entities, (long) entities * EVENTS_OF_EACH, growth);
        }
        return growth.report().shown();
    }

    private void recover(
            MeasuredJvms jvms, LocalServer server, List<String> ids, int size, long events, Growth growth) {
        server.latency(latency);
        Recoveries.measure(jvms, server, ids, events, runs, 1).forEach((side, measured) -> {
            double median =
                    new Runs(measured.stream().map(Recoveries.Run::millis).toList()).median();
            growth.add(size, side.title(), List.of(median, events * 1e3 / median));
        });
        server.latency(Duration.ZERO);
    }

    private String added() {
        return "DynamoDB Local, " + latency.toMillis() + " ms added to each request";
    }

    /** Each backlog in a journal of its own, written by entities of fifty events. */
    private Report backlogs(MeasuredJvms jvms) throws Exception {
        Growth growth = new Growth(
                "backlog", "Backlog of an at-least-once projection, " + added(), "events", List.of("ms", "events/s"));
        MeasuredJvm jvm = jvms.all().get(0);
        for (int backlog : options.numbers("backlog")) {
            try (LocalServer server = new LocalServer()) {
                Side.Tables tables = server.createTables(jvm.side());
                List<String> ids = LocalServer.entities("backlog", Math.max(1, backlog / BATCH));
                jvm.open(tables);
                Config recovered = jvm.recover(ids);
                if (recovered.getLong("events") != 0) {
                    throw new IllegalStateException("The journal of the backlog is not empty");
                }
                jvm.persist(ids, 1, BATCH);
                jvm.closeNode();
                int events = ids.size() * BATCH;
                double millis = ProjectionSpeed.backlog(server, tables, events, latency) / 1e6;
                growth.add(events, Side.VARVE.title(), List.of(millis, events * 1e3 / millis));
            }
        }
        return growth.report().shown();
    }
}
