package io.varve.store.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class BackoffTest {

    @Test
    void delay_doublesFromTheLeastToTheMost() {
        Backoff backoff = new Backoff(Duration.ofMillis(1), Duration.ofMillis(10), 0.5);
        assertThat(backoff.delay(1, 0)).isEqualTo(Duration.ofMillis(1));
        assertThat(backoff.delay(2, 0)).isEqualTo(Duration.ofMillis(2));
        assertThat(backoff.delay(4, 0)).isEqualTo(Duration.ofMillis(8));
        assertThat(backoff.delay(5, 0)).isEqualTo(Duration.ofMillis(10));
        assertThat(backoff.delay(5, 1)).isEqualTo(Duration.ofMillis(5));
    }

    @Property
    void delay_staysWithinItsBounds(
            @ForAll @IntRange(min = 1, max = 10_000) int retry,
            @ForAll @DoubleRange(min = 0, max = 1) double random,
            @ForAll @DoubleRange(min = 0, max = 1) double jitter) {
        Backoff backoff = new Backoff(Duration.ofMillis(3), Duration.ofSeconds(2), jitter);
        assertThat(backoff.delay(retry, random)).isBetween(Duration.ZERO, Duration.ofSeconds(2));
    }
}
