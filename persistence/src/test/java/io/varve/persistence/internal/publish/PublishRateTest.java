package io.varve.persistence.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.persistence.internal.publish.PublishRate.Answer;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** When a journal writes too much to publish it, and when no longer. */
class PublishRateTest {
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final PublishRate rate =
            new PublishRate(new PublishSettings(true, 64, 10, Duration.ofSeconds(5)), () -> now);

    private void pass(Duration time) {
        now = now.plus(time);
    }

    private Answer write(int events) {
        return rate.written(events);
    }

    @Test
    void upToTheThreshold_isPublished() {
        for (int second = 0; second < 100; second++) {
            assertThat(write(10)).as("second %d", second).isEqualTo(Answer.PUBLISH);
            pass(Duration.ofSeconds(1));
        }
    }

    @Test
    void burst_thatTheIntervalLevelsOut_isPublished() {
        assertThat(write(50)).isEqualTo(Answer.PUBLISH);
        pass(Duration.ofSeconds(5));
        assertThat(write(50)).isEqualTo(Answer.PUBLISH);
    }

    @Test
    void aboveTheThreshold_stopsAtOnce() {
        assertThat(write(50)).isEqualTo(Answer.PUBLISH);
        assertThat(write(1)).isEqualTo(Answer.STOP);
        assertThat(write(1)).isEqualTo(Answer.STAY_STOPPED);
        assertThat(new PublishRate(new PublishSettings(true, 64, 10, Duration.ofSeconds(5)), () -> now).written(51))
                .isEqualTo(Answer.STOP);
    }

    @Test
    void aslongAsTheRateStaysAbove_staysStopped() {
        write(51);
        for (int interval = 0; interval < 10; interval++) {
            pass(Duration.ofSeconds(5));
            assertThat(write(51)).as("interval %d", interval).isEqualTo(Answer.STAY_STOPPED);
        }
    }

    @Test
    void afterAnIntervalBelow_isPublishedAgain() {
        write(51);
        pass(Duration.ofSeconds(5));
        assertThat(write(50)).isEqualTo(Answer.STAY_STOPPED);
        pass(Duration.ofMillis(4_999));
        assertThat(write(0)).isEqualTo(Answer.STAY_STOPPED);
        pass(Duration.ofMillis(1));
        assertThat(write(1)).isEqualTo(Answer.PUBLISH_AGAIN);
        assertThat(write(1)).isEqualTo(Answer.PUBLISH);
    }

    @Test
    void afterALongPause_isPublishedAgainAtOnce() {
        write(51);
        pass(Duration.ofSeconds(11));
        assertThat(write(1)).isEqualTo(Answer.PUBLISH_AGAIN);
    }

    @Test
    void clockThatGoesBack_beginsANewInterval() {
        write(51);
        pass(Duration.ofHours(-1));
        assertThat(write(1)).isEqualTo(Answer.STAY_STOPPED);
        pass(Duration.ofSeconds(5));
        assertThat(write(1)).isEqualTo(Answer.PUBLISH_AGAIN);
    }
}
