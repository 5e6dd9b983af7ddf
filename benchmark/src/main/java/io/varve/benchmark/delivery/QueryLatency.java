package io.varve.benchmark.delivery;

import io.varve.benchmark.report.Report;
import io.varve.benchmark.server.LocalServer;
import io.varve.benchmark.side.Side;
import io.varve.persistence.query.javadsl.DynamoDBReadJournal;
import io.varve.store.table.Tables;
import java.util.ArrayList;
import java.util.List;
import org.apache.pekko.persistence.query.NoOffset;
import org.apache.pekko.persistence.query.PersistenceQuery;
import org.apache.pekko.stream.KillSwitches;
import org.apache.pekko.stream.UniqueKillSwitch;
import org.apache.pekko.stream.javadsl.Keep;
import org.apache.pekko.stream.javadsl.Sink;

/**
 * How long it takes from the moment an entity is told to persist until a live query over all slices delivers the event, or a
 * projection's handler has it.
 */
public final class QueryLatency {
    private static final List<String> PUBLISHING = List.of("on", "off");

    private QueryLatency() {}

    /** The times to a live query. */
    public static Report ofQuery(int events) throws Exception {
        List<Report.Row> rows = new ArrayList<>();
        for (String publish : PUBLISHING) {
            Pace pace = new Pace();
            rows.add(measure("query, publish-events " + publish, publish, pace, events, bench -> query(bench, pace)));
        }
        return Report.of("From persist to a live query", rows);
    }

    private static AutoCloseable query(BenchSystem bench, Pace pace) {
        UniqueKillSwitch query = PersistenceQuery.get(bench.system())
                .getReadJournalFor(DynamoDBReadJournal.class, DynamoDBReadJournal.Identifier())
                .<String>eventsBySlices("bench", 0, 1023, NoOffset.getInstance())
                .viaMat(KillSwitches.single(), Keep.right())
                .to(Sink.foreach(envelope -> pace.arrived(envelope.getEvent())))
                .run(bench.system());
        return query::shutdown;
    }

    /** The times to a projection's handler. */
    public static Report ofProjections(int events) throws Exception {
        List<Report.Row> rows = new ArrayList<>();
        for (String publish : PUBLISHING) {
            Pace exactly = new Pace();
            rows.add(measure(
                    "exactly-once, publish-events " + publish,
                    publish,
                    exactly,
                    events,
                    bench -> new ProjectionStarter(bench).exactlyOnce("paced", 8, exactly::arrived)));
            Pace atLeast = new Pace();
            rows.add(measure(
                    "at-least-once, publish-events " + publish,
                    publish,
                    atLeast,
                    events,
                    bench -> new ProjectionStarter(bench).atLeastOnce("paced", atLeast::arrived)));
        }
        return Report.of("From persist to a projection's handler", rows);
    }

    private interface Reader {
        /** What stops it. */
        AutoCloseable start(BenchSystem bench);
    }

    private static Report.Row measure(String what, String publish, Pace pace, int events, Reader reader)
            throws Exception {
        try (LocalServer server = new LocalServer()) {
            Side.Tables tables = server.createTables(Side.VARVE);
            try (BenchSystem bench = BenchSystem.on(tables, "dynamodb-journal.publish-events.enabled = " + publish)) {
                bench.create(Tables.offsets("timestamp_offset"));
                try (AutoCloseable running = reader.start(bench)) {
                    return Report.Row.ofTimes(what, pace.measure(bench, events));
                }
            }
        }
    }
}
