package io.varve.benchmark.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class HistogramTest {

    @Test
    void percentiles_areRightWithinOnePerCent() {
        Histogram times = new Histogram();
        for (int i = 1; i <= 1000; i++) {
            times.add(i * 1_000_000L);
        }
        assertThat(times.count()).isEqualTo(1000);
        assertThat(times.millis(0.5)).isCloseTo(500, within(5.0));
        assertThat(times.millis(0.99)).isCloseTo(990, within(10.0));
    }

    @Test
    void extremeTimes_areCountedToo() {
        Histogram times = new Histogram();
        times.add(0);
        times.add(Long.MAX_VALUE);
        assertThat(times.count()).isEqualTo(2);
    }
}
