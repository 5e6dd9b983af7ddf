package io.varve.benchmark.delivery;

import io.varve.benchmark.report.Report;
import io.varve.benchmark.server.LocalServer;
import io.varve.benchmark.side.Side;
import io.varve.store.table.Tables;
import io.varve.testkit.RequestLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * How many events of a backlog a projection processes in a second, with a latency added to each request, as a real DynamoDB has
 * one, and how many requests it sends. The handler itself does nothing, so that the cost of the offsets is what is measured.
 */
public final class ProjectionSpeed {
    private static final List<Integer> PARALLELISMS = List.of(1, 8, 32);
    private static final List<Integer> COMMITS_AT_ONCE = List.of(1, 8);
    private static final int EVENTS_OF_A_COMMIT = 50;
    private static final int ENTITIES = 200;

    private final LocalServer server;
    private final ProjectionStarter projections;
    private final int events;

    private ProjectionSpeed(LocalServer server, BenchSystem bench, int events) {
        this.server = server;
        this.projections = new ProjectionStarter(bench);
        this.events = events;
    }

    /** Rates with that latency, and requests while there are events and while there are none. */
    public static Report run(int events, Duration latency, Duration idle) throws Exception {
        try (LocalServer server = new LocalServer()) {
            Side.Tables tables = server.createTables(Side.VARVE);
            try (BenchSystem bench = BenchSystem.on(tables)) {
                bench.create(Tables.offsets("timestamp_offset"));
                bench.write(LocalServer.entities("backlog", ENTITIES), events);
                ProjectionSpeed speed = new ProjectionSpeed(server, bench, events);
                speed.projections.createViews();
                return speed.rates(latency).and(speed.requests()).and(speed.idle(idle));
            }
        }
    }

    /** How long an at-least-once projection takes for a backlog that is already there. */
    public static long backlog(LocalServer server, Side.Tables tables, int events, Duration latency) throws Exception {
        server.latency(Duration.ZERO);
        try (BenchSystem bench = BenchSystem.on(tables)) {
            bench.create(Tables.offsets("timestamp_offset"));
            server.latency(latency);
            ProjectionSpeed speed = new ProjectionSpeed(server, bench, events);
            return speed.measure(handler -> speed.projections.atLeastOnce("backlog", handler));
        }
    }

    private Report rates(Duration latency) throws InterruptedException {
        measure(handler -> projections.exactlyOnce("warm-up", 32, handler));
        server.latency(latency);
        List<Report.Row> rows = new ArrayList<>();
        for (int parallelism : PARALLELISMS) {
            String name = "exactly-once-" + parallelism;
            rows.add(Report.Row.ofRate(
                    "exactly-once, parallelism " + parallelism,
                    events,
                    measure(handler -> projections.exactlyOnce(name, parallelism, handler))));
        }
        for (int parallelism : COMMITS_AT_ONCE) {
            String name = "group-commit-" + parallelism;
            rows.add(Report.Row.ofRate(
                    "group commit, parallelism " + parallelism,
                    events,
                    measure(handler -> projections.groupCommit(name, parallelism, EVENTS_OF_A_COMMIT, handler))));
        }
        rows.add(Report.Row.ofRate("view", events, measure(stored -> projections.view("view", stored))));
        rows.add(Report.Row.ofRate(
                "view, rebuild", events, measure(stored -> projections.rebuild("view-rebuild", stored))));
        rows.add(Report.Row.ofRate(
                "at-least-once", events, measure(handler -> projections.atLeastOnce("at-least-once", handler))));
        server.latency(Duration.ZERO);
        return Report.of("Projections, %d ms added to each request".formatted(latency.toMillis()), rows);
    }

    private Report requests() throws InterruptedException {
        List<Report.Row> rows = new ArrayList<>();
        rows.add(requests("exactly-once", handler -> projections.exactlyOnce("counted-exactly", 8, handler)));
        rows.add(requests(
                "group commit", handler -> projections.groupCommit("counted-commits", 8, EVENTS_OF_A_COMMIT, handler)));
        rows.add(requests(
                "exactly-once, one item for each entity",
                handler -> projections.countByTransactions("counted-items", handler)));
        rows.add(requests("view", stored -> projections.view("counted-view", stored)));
        rows.add(requests("view, rebuild", stored -> projections.rebuild("counted-rebuild", stored)));
        rows.add(requests("at-least-once", handler -> projections.atLeastOnce("counted-at-least", handler)));
        return Report.of("Requests of projections, all that the actor system sends", rows);
    }

    private Report.Row requests(String name, Function<Consumer<String>, ProjectionStarter.Running> start)
            throws InterruptedException {
        RequestLog log = server.record();
        try {
            measure(start);
            Map<String, Double> figures = new LinkedHashMap<>();
            figures.put("events", (double) events);
            figures.put("requests per event", (double) log.size() / events);
            figures.put("write units per event", log.capacity().writeUnits() / events);
            return new Report.Row(name, figures);
        } finally {
            server.endRecord();
        }
    }

    private Report idle(Duration idle) throws InterruptedException {
        List<Report.Row> rows = new ArrayList<>();
        for (int number : List.of(1, 10)) {
            rows.add(idle(number, idle));
        }
        return Report.of("Requests when nothing happens", rows);
    }

    /** A shard that had events is asked less and less often; then it is idle, and counting begins. */
    private Report.Row idle(int number, Duration idle) throws InterruptedException {
        CountDownLatch processed = new CountDownLatch(events * number);
        RequestLog log = server.record();
        try (ProjectionStarter.Running running = projections.all(
                number, one -> projections.atLeastOnce("idle-" + number + "-" + one, event -> processed.countDown()))) {
            await(processed);
            TimeUnit.NANOSECONDS.sleep(idle.multipliedBy(8).dividedBy(3).toNanos());
            long mark = log.mark();
            TimeUnit.NANOSECONDS.sleep(idle.toNanos());
            return new Report.Row(
                    number == 1 ? "one projection" : number + " projections",
                    Map.of("requests per second", log.since(mark).size() * 1e9 / idle.toNanos()));
        } finally {
            server.endRecord();
        }
    }

    private long measure(Function<Consumer<String>, ProjectionStarter.Running> start) throws InterruptedException {
        CountDownLatch processed = new CountDownLatch(events);
        long begin = System.nanoTime();
        try (ProjectionStarter.Running running = start.apply(event -> processed.countDown())) {
            await(processed);
            return System.nanoTime() - begin;
        }
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        if (!latch.await(5, TimeUnit.MINUTES)) {
            throw new IllegalStateException(latch.getCount() + " events are missing after 5 minutes.");
        }
    }
}
