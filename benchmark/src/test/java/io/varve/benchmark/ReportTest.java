package io.varve.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ReportTest {

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
    void json_namesTheCommitAndTheFigures() {
        assertThat(new Report("query", "abc", List.of(Report.Row.ofTimes("x", List.of(1_500_000L)))).json())
                .contains("\"commit\": \"abc\"", "{\"what\": \"x\", \"events\": 1.000, \"p50 ms\": 1.500,");
    }
}
