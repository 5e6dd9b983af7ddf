package io.varve.benchmark.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.benchmark.report.Report;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** That the measurement runs from end to end; its figures are not asserted. */
class ProjectionSpeedTest {

    @Test
    void projection_measuresRatesRequestsAndLatency() throws Exception {
        Report report = ProjectionSpeed.run(20, Duration.ZERO, Duration.ofSeconds(1));

        assertThat(report.tables()).extracting(table -> table.rows().size()).containsExactly(8, 6, 2);
        assertThat(report.tables().get(1).rows())
                .allSatisfy(row -> assertThat(Double.parseDouble(row.get(2))).isPositive());
    }
}
