package io.varve.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

class HttpSettingsTest {

    @Test
    void whatIsNotSet_keepsItsDefault() {
        HttpSettings settings = HttpSettings.builder().maxConcurrency(7).build();
        assertThat(settings.maxConcurrency()).isEqualTo(7);
        assertThat(settings.readTimeout()).isEqualTo(Duration.ofSeconds(10));
        assertThat(settings.timeToLive()).isEmpty();
        assertThat(settings.eventLoopThreads()).isEmpty();
    }

    @Test
    void numbersBelowOne_areRefusedByName() {
        Map<String, BiConsumer<HttpSettings.Builder, Integer>> numbers = Map.of(
                "maxConcurrency", HttpSettings.Builder::maxConcurrency,
                "maxPendingAcquires", HttpSettings.Builder::maxPendingAcquires,
                "maxAnswerSize", HttpSettings.Builder::maxAnswerSize,
                "eventLoopThreads", HttpSettings.Builder::eventLoopThreads);
        numbers.forEach((name, set) -> {
            for (int wrong : new int[] {0, -1}) {
                HttpSettings.Builder settings = HttpSettings.builder();
                set.accept(settings, wrong);
                assertThatThrownBy(settings::build)
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage(name + " is " + wrong + ", but must be at least 1");
            }
        });
    }

    @Test
    void timesThatAreNotPositive_areRefusedByName() {
        Map<String, BiConsumer<HttpSettings.Builder, Duration>> times = Map.of(
                "acquireTimeout", HttpSettings.Builder::acquireTimeout,
                "connectTimeout", HttpSettings.Builder::connectTimeout,
                "tlsTimeout", HttpSettings.Builder::tlsTimeout,
                "readTimeout", HttpSettings.Builder::readTimeout,
                "answerTimeout", HttpSettings.Builder::answerTimeout,
                "idleTimeout", HttpSettings.Builder::idleTimeout,
                "timeToLive", HttpSettings.Builder::timeToLive);
        times.forEach((name, set) -> {
            for (Duration wrong : List.of(Duration.ZERO, Duration.ofNanos(-1))) {
                HttpSettings.Builder settings = HttpSettings.builder();
                set.accept(settings, wrong);
                assertThatThrownBy(settings::build)
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage(name + " is " + wrong + ", but must be longer than zero");
            }
        });
    }

    @Test
    void addresses_areKeptForAnHour_anyOtherTime_orNotAtAll() {
        assertThat(HttpSettings.builder().build().keepAddresses()).isEqualTo(Duration.ofHours(1));
        assertThat(HttpSettings.builder().keepAddresses(Duration.ZERO).build().keepAddresses())
                .isZero();
        HttpSettings.Builder negative = HttpSettings.builder().keepAddresses(Duration.ofNanos(-1));
        assertThatThrownBy(negative::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("keepAddresses is PT-0.000000001S, but must not be negative");
    }

    @Test
    void connectTimeout_beyondWhatNettyCanWait_isRefused() {
        Duration longest = Duration.ofMillis(Integer.MAX_VALUE);
        assertThat(HttpSettings.builder().connectTimeout(longest).build().connectTimeout())
                .isEqualTo(longest);
        HttpSettings.Builder longer = HttpSettings.builder().connectTimeout(longest.plusMillis(1));
        assertThatThrownBy(longer::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("connectTimeout is PT596H31M23.648S, but must be at most PT596H31M23.647S");
    }
}
