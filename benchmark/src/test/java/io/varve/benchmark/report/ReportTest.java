package io.varve.benchmark.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.data.Percentage.withPercentage;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
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
                .hasEntrySatisfying("events", events -> assertThat(events).isEqualTo(100))
                .hasEntrySatisfying("p50 ms", millis -> assertThat(millis).isCloseTo(50, withPercentage(0.1)))
                .hasEntrySatisfying("p99 ms", millis -> assertThat(millis).isCloseTo(99, withPercentage(0.1)))
                .hasEntrySatisfying("max ms", millis -> assertThat(millis).isCloseTo(100, withPercentage(0.1)));
    }

    @Test
    void rate_isPerSecond() {
        assertThat(Report.Row.ofRate("x", 500, 250_000_000).figures()).containsEntry("events/s", 2000.0);
    }

    @Test
    void json_namesCommandCommitAndFigures() throws Exception {
        Map<String, Double> figures = Map.of("whole", 1.0, "rounded", 1.23456, "none", Double.NaN);
        Report report = Report.of("T", List.of(new Report.Row("x \"y\"", figures)));
        JsonNode json = new ObjectMapper().readTree(report.json(CIRCUMSTANCES));
        assertThat(json.path("command").asText()).isEqualTo("query --events 1");
        assertThat(json.path("commit").asText()).isEqualTo("abc");
        assertThat(json.path("figures")).hasSize(1);
        JsonNode figure = json.path("figures").path(0);
        assertThat(figure.path("what").asText()).isEqualTo("x \"y\"");
        assertThat(figure.path("whole").toString()).isEqualTo("1");
        assertThat(figure.path("rounded").toString()).isEqualTo("1.2346");
        assertThat(figure.path("none").isNull()).isTrue();
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
        assertThatThrownBy(() -> new ReportTable("T", List.of("a", "b"), List.of(List.of("1"))))
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
