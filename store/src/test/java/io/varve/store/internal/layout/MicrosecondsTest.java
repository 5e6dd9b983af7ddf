package io.varve.store.internal.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class MicrosecondsTest {

    @Test
    void ofAnInstant_isTheMicrosecondThatItLiesIn_alsoBeforeTheEpoch() {
        assertThat(Microseconds.of(Instant.parse("2026-01-01T00:00:00.123456789Z")))
                .isEqualTo(1_767_225_600_123_456L);
        assertThat(Microseconds.of(Instant.EPOCH.minusNanos(1))).isEqualTo(-1);
    }

    @Test
    void toInstant_isTheInverse() {
        for (long micros : new long[] {-1_000_001, -1, 0, 1, 999_999, 1_000_000, Item.LAST_TIMESTAMP}) {
            assertThat(Microseconds.of(Microseconds.toInstant(micros))).isEqualTo(micros);
        }
    }

    @Test
    void ofADuration_areItsWholeMicroseconds() {
        assertThat(Microseconds.of(Duration.ofNanos(3_000_001_999L))).isEqualTo(3_000_001);
    }
}
