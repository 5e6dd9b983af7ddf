package io.varve.store.internal.async;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
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

    @Test
    void delay_staysWithinItsBounds() {
        Random random = new Random(7);
        for (int i = 0; i < 10_000; i++) {
            Backoff backoff = new Backoff(Duration.ofMillis(3), Duration.ofSeconds(2), random.nextDouble());
            assertThat(backoff.delay(1 + random.nextInt(10_000), random.nextDouble()))
                    .isBetween(Duration.ZERO, Duration.ofSeconds(2));
        }
    }

    @Test
    void doubled_endsAfterSoManyDoublings() {
        Backoff backoff = Backoff.doubled(Duration.ofSeconds(3), 2);
        assertThat(backoff.delay(1)).isEqualTo(Duration.ofSeconds(3));
        assertThat(backoff.delay(2)).isEqualTo(Duration.ofSeconds(6));
        assertThat(backoff.delay(3)).isEqualTo(Duration.ofSeconds(12));
        assertThat(backoff.delay(1_000)).isEqualTo(Duration.ofSeconds(12));
    }
}
