package io.varve.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ReportTest {

    @Test
    void row_hasThePercentilesInMilliseconds() {
        List<Long> nanos =
                LongStream.rangeClosed(1, 100).map(n -> n * 1_000_000).boxed().toList();
        assertThat(Report.Row.of("x", nanos)).isEqualTo(new Report.Row("x", 100, 50, 99, 100));
    }

    @Test
    void json_namesTheCommit() {
        assertThat(new Report("query", "abc", List.of(Report.Row.of("x", List.of(1_500_000L)))).json())
                .contains("\"commit\": \"abc\"", "{\"what\": \"x\", \"events\": 1, \"p50_ms\": 1.500,");
    }
}
