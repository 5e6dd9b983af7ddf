package io.varve.benchmark.speed;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.varve.benchmark.report.ReportTable;
import io.varve.benchmark.side.MeasuredJvm;
import io.varve.benchmark.side.Side;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ComparisonTest {

    private static Config run(double eventsPerSecond, double cpuMicros) {
        return ConfigFactory.parseMap(Map.of(
                "eventsPerSecond",
                eventsPerSecond,
                "cpuMicros",
                cpuMicros,
                "javaCpuMicros",
                cpuMicros / 2,
                "bytes",
                2048,
                "p50",
                1,
                "p99",
                2,
                "cpuMicrosByThread",
                Map.of("main", 1)));
    }

    @Test
    void eachSide_isComparedWithThePredecessor_runByRun() {
        Comparison comparison = new Comparison("backend", Side.PEER);
        comparison.add(
                100,
                Map.of(
                        Side.VARVE, List.of(run(100, 10), run(300, 10), run(200, 10)),
                        Side.PEER, List.of(run(100, 20), run(100, 10), run(100, 5))));
        ReportTable table = comparison.report().tables().get(0);
        assertThat(table.rows())
                .contains(List.of(
                        "100",
                        "Varve",
                        "200",
                        "1.00",
                        "2.00",
                        "10.0",
                        "5.0",
                        "2.0",
                        "2.00 (1.00 to 3.00)",
                        "1.00 (0.50 to 2.00)"));
    }

    @Test
    void whereAnotherCheckoutRuns_theColumnsSayThatItIsTheReference() {
        Comparison comparison = new Comparison("backend", Side.OTHER);
        comparison.add(1, Map.of(Side.VARVE, List.of(run(150, 10)), Side.OTHER, List.of(run(100, 20))));
        ReportTable table = comparison.report().tables().get(0);
        assertThat(table.columns()).endsWith("events/s to Varve, another checkout", "CPU to Varve, another checkout");
        assertThat(table.rows())
                .anySatisfy(row ->
                        assertThat(row).contains("Varve").endsWith("1.50 (1.50 to 1.50)", "0.50 (0.50 to 0.50)"));
    }

    @Test
    void sideThatFails_isARow() {
        Comparison comparison = new Comparison("backend", Side.PEER);
        comparison.addFailure(1000, new MeasuredJvm.CommandException(Side.PEER, "loop: no answer"));
        assertThat(comparison.report().tables().get(0).rows().get(0)).startsWith("1000", "predecessor", "failed");
        assertThat(comparison.report().figures().get(0)).containsEntry("failure", "predecessor, loop: no answer");
    }
}
