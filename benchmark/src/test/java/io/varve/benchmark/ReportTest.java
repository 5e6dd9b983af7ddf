package io.varve.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ReportTest {
    private static final Circumstances CIRCUMSTANCES = new Circumstances("query --events 1", "abc");

    @Test
    void times_haveTheirPercentilesInMilliseconds() {
        List<Long> nanos =
                LongStream.rangeClosed(1, 100).map(n -> n * 1_000_000).boxed().toList();
        assertThat(Report.Row.ofTimes("x", nanos).figures())
                .isEqualTo(Map.of("events", 100.0, "p50 ms", 50.0, "p99 ms", 99.0, "max ms", 100.0));
    }

    @Test
    void rate_isPerSecond() {
        assertThat(Report.Row.ofRate("x", 500, 250_000_000).figures()).containsEntry("events/s", 2000.0);
    }

    @Test
    void json_namesCommandCommitAndFigures() {
        Report report = Report.of("T", List.of(Report.Row.ofTimes("x \"y\"", List.of(1_500_000L))));
        assertThat(report.json(CIRCUMSTANCES))
                .contains(
                        "\"command\": \"query --events 1\"",
                        "\"commit\": \"abc\"",
                        "{\"what\": \"x \\\"y\\\"\", \"events\": 1, \"p50 ms\": 1.5,");
    }

    @Test
    void text_isATableWithAlignedColumns() {
        Report report = Report.of("T", List.of(Report.Row.ofRate("a long name", 500, 250_000_000)));
        assertThat(report.text(CIRCUMSTANCES))
                .startsWith("`./varve bench query --events 1`, commit abc, ")
                .endsWith("""
                        ### T

                        |             | events | events/s |
                        |-------------|--------|----------|
                        | a long name | 500    | 2000.0   |
                        """);
    }

    @Test
    void rowWithoutACell_isRefused() {
        assertThatThrownBy(() -> new Table("T", List.of("a", "b"), List.of(List.of("1"))))
                .hasMessageContaining("A row of T has 1 cells");
    }

    @Test
    void runs_haveMedianAndSpread_andRatiosOfThoseThatTookTurns() {
        assertThat(new Runs(List.of(3.0, 1.0, 2.0)).median()).isEqualTo(2);
        assertThat(new Runs(List.of(4.0, 1.0, 2.0, 3.0)).median()).isEqualTo(2.5);
        Runs ratio = new Runs(List.of(1.0, 4.0, 9.0)).to(new Runs(List.of(2.0, 4.0, 3.0)));
        assertThat(ratio.withSpread()).isEqualTo("1.00 (0.50 to 3.00)");
        assertThatThrownBy(() -> new Runs(List.of())).hasMessage("There was no run");
    }
}
