package io.varve.benchmark;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/** How long entities take to recover: single ones with many events, and many at once. */
final class Recoveries implements AutoCloseable {
    private static final List<String> COLUMNS = List.of("recovery", "side", "ms", "to predecessor");

    private final MeasuredJvms jvms;
    private final Options options;
    private final int manyEvents;
    private final List<String> many;

    Recoveries(MeasuredJvms jvms, Options options, int manyEvents, Function<Side, Side.Tables> tables) {
        this.jvms = jvms;
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

    Report measure(int latency) {
        List<List<String>> rows = new ArrayList<>();
        List<Map<String, Object>> figures = new ArrayList<>();
        for (int events : options.numbers("recover")) {
            add(latency, "1 entity of " + events + " events", one(events), events, rows, figures);
        }
        String name = many.size() + " entities of " + manyEvents + " events at once";
        add(latency, name, many, (long) many.size() * manyEvents, rows, figures);
        String title = "Recovery, DynamoDB Local, %d ms added to each request".formatted(latency);
        return new Report(List.of(new Table(title, COLUMNS, rows)), figures);
    }

    private void add(
            int latency,
            String name,
            List<String> ids,
            long events,
            List<List<String>> rows,
            List<Map<String, Object>> figures) {
        Map<Side, List<Double>> millis = measure(jvms, ids, events, options.positive("runs"));
        List<Double> peer = millis.get(Side.PEER);
        millis.forEach((side, runs) -> {
            Runs all = new Runs(runs);
            rows.add(List.of(
                    name,
                    side.title(),
                    String.format(Locale.ROOT, "%.1f", all.median()),
                    peer == null ? "" : all.to(new Runs(peer)).withSpread()));
            Map<String, Object> figure = new LinkedHashMap<>();
            figure.put("recovery", name);
            figure.put("latency", latency);
            figure.put("side", side.word());
            figure.put("millis", runs);
            figures.add(figure);
        });
    }

    /** The milliseconds of each run, for each side, after one that does not count. */
    static Map<Side, List<Double>> measure(MeasuredJvms jvms, List<String> ids, long events, int runs) {
        Progress.tell("recovery: {} entities, {} events", ids.size(), events);
        jvms.all().forEach(jvm -> recover(jvm, ids, events));
        Map<Side, List<Double>> millis = new EnumMap<>(Side.class);
        jvms.takeTurns(
                runs,
                jvm -> millis.computeIfAbsent(jvm.side(), side -> new ArrayList<>())
                        .add(recover(jvm, ids, events)));
        return millis;
    }

    private static double recover(MeasuredJvm jvm, List<String> ids, long events) {
        var recovered = jvm.recover(ids);
        jvm.stop(ids);
        if (recovered.getLong("events") != events) {
            throw new IllegalStateException(
                    "%s recovered %d of %d events".formatted(jvm.side().title(), recovered.getLong("events"), events));
        }
        return recovered.getLong("nanos") / 1e6;
    }

    private static List<String> one(int events) {
        return List.of("bench|one-of-" + events);
    }

    @Override
    public void close() {
        jvms.all().forEach(MeasuredJvm::closeNode);
    }
}
