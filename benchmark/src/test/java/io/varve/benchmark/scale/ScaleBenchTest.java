package io.varve.benchmark.scale;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.benchmark.command.CommandOptions;
import io.varve.benchmark.report.Report;
import java.util.List;
import org.junit.jupiter.api.Test;

/** That the measurement runs from end to end; its figures are not asserted. */
class ScaleBenchTest {

    @Test
    void scale_measuresAllKindsOfGrowth() throws Exception {
        List<String> words = List.of(
                "--runs",
                "1",
                "--seconds",
                "1",
                "--warm-up",
                "100",
                "--latency",
                "0",
                "--events",
                "50,100",
                "--entities",
                "2",
                "--writers",
                "2",
                "--backlog",
                "50");

        Report report = new ScaleBench(CommandOptions.parse(words, ScaleBench.DEFAULTS)).run();

        assertThat(report.plots())
                .containsOnlyKeys("scale-writers.svg", "scale-events.svg", "scale-entities.svg", "scale-backlog.svg");
        assertThat(report.figures()).hasSize(2 + 4 + 2 + 1);
    }
}
