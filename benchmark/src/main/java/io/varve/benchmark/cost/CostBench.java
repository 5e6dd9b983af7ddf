package io.varve.benchmark.cost;

import io.varve.benchmark.command.CommandOptions;
import io.varve.benchmark.report.Report;
import io.varve.benchmark.report.ReportTable;
import io.varve.benchmark.server.LocalServer;
import io.varve.benchmark.side.MeasuredJvm;
import io.varve.benchmark.side.Side;
import io.varve.store.internal.journal.EventReader;
import io.varve.testkit.RequestLog;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** What each operation costs, in requests and capacity units by AWS's rules: the same in every run. */
public final class CostBench {
    public static final Map<String, String> DEFAULTS = Map.of("events", "1000");
    static final Set<Side> SIDES = EnumSet.of(Side.VARVE, Side.NO_INDEX, Side.MARKED, Side.PEER);

    /** What an operation cost each side, and the limit. */
    record Cost(String operation, Map<Side, Spent> spent, Spent limit) {}

    private final List<CostRow> rows = new ArrayList<>();

    /** Checks the options. */
    public CostBench(CommandOptions options) {
        rows.addAll(CostRows.journal(options.positive("events")));
        rows.addAll(CostRows.snapshots());
    }

    /** Measures each operation on each side. */
    public Report run() throws Exception {
        List<Cost> costs = measure();
        return new Report(
                List.of(table(costs)), costs.stream().map(CostBench::figures).toList());
    }

    List<Cost> measure() throws Exception {
        List<Map<Side, Spent>> spent = new ArrayList<>();
        rows.forEach(row -> spent.add(new EnumMap<>(Side.class)));
        List<Spent> limits = new ArrayList<>();
        try (LocalServer server = new LocalServer()) {
            for (Side side : SIDES) {
                Side.Tables tables = server.createTables(side);
                try (MeasuredJvm jvm = MeasuredJvm.start(side)) {
                    jvm.open(tables);
                    EventReader reader = firstUse(jvm, server, tables);
                    for (int i = 0; i < rows.size(); i++) {
                        CostRow row = rows.get(i);
                        if (row.sides().contains(side)) {
                            spent.get(i).put(side, measure(row, jvm, reader, server, tables));
                        }
                        if (side == Side.NO_INDEX) {
                            limits.add(row.limit().apply(new StoredBytes(server.client()), tables));
                        }
                    }
                }
            }
        }
        List<Cost> costs = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            costs.add(new Cost(rows.get(i).operation(), spent.get(i), limits.get(i)));
        }
        return costs;
    }

    /** What is asked once and then known, is not what an operation costs. */
    private static EventReader firstUse(MeasuredJvm jvm, LocalServer server, Side.Tables tables) {
        jvm.recover(List.of(CostRows.id("first-use")));
        jvm.read(CostRows.id("first-use"), 1);
        return server.reader(tables);
    }

    private static Spent measure(
            CostRow row, MeasuredJvm jvm, EventReader reader, LocalServer server, Side.Tables tables) {
        row.prepare().accept(jvm);
        RequestLog log = server.record();
        row.action().accept(jvm, reader);
        Spent spent = Spent.of(row.counted().of(log, tables));
        server.endRecord();
        return spent;
    }

    private static ReportTable table(List<Cost> costs) {
        List<String> columns = new ArrayList<>(List.of("operation"));
        SIDES.forEach(side -> columns.add(side.title()));
        columns.addAll(List.of("limit", "units, index off, to predecessor", "… to limit"));
        return new ReportTable(
                "Requests, write units (W) and read units (R)",
                columns,
                costs.stream().map(CostBench::cells).toList());
    }

    private static List<String> cells(Cost cost) {
        List<String> cells = new ArrayList<>(List.of(cost.operation()));
        SIDES.forEach(side -> cells.add(
                cost.spent().containsKey(side) ? cost.spent().get(side).toString() : ""));
        cells.add(cost.limit().toString());
        Spent ours = cost.spent().get(Side.NO_INDEX);
        Spent peer = cost.spent().get(Side.PEER);
        cells.add(ours == null || peer == null ? "" : ratio(ours, peer));
        cells.add(ours == null ? "" : ratio(ours, cost.limit()));
        return cells;
    }

    private static String ratio(Spent ours, Spent other) {
        return String.format(Locale.ROOT, "%.2f", ours.units() / other.units());
    }

    private static Map<String, Object> figures(Cost cost) {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("operation", cost.operation());
        cost.spent().forEach((side, spent) -> figures.put(side.word(), spent.figures()));
        figures.put("limit", cost.limit().figures());
        return figures;
    }
}
