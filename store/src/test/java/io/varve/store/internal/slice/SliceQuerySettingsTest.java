package io.varve.store.internal.slice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.varve.store.SettingsException;
import io.varve.store.internal.settings.SettingsReader;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SliceQuerySettingsTest {
    private static final String DEFAULTS = """
            page-size = 100
            refresh-interval = 3 s
            quiet-refresh-interval = 30 s
            behind-current-time = 100 ms
            backtracking { behind-current-time = 10 s, window = 2 minutes }
            sweep { interval = 1 minute, window = 10 minutes }
            parallelism = 16
            max-failures = 10
            remembered-entities = 200000
            """;

    private static SliceQuerySettings read(String more) {
        Config config = ConfigFactory.parseString(more).withFallback(ConfigFactory.parseString(DEFAULTS));
        return SliceQuerySettings.from(new SettingsReader(config.resolve(), "my-read-journal"));
    }

    @Test
    void defaults_areTheSettingsThatTheTestsUse() {
        assertThat(read("")).isEqualTo(TestSettings.defaults().get());
        assertThat(read("").trustedAge()).isEqualTo(Duration.ofMinutes(10));
    }

    @Test
    void sweepThatIsOff_makesTheWindowOfBacktrackingTheTrustedAge() {
        SliceQuerySettings settings = read("sweep.interval = off");
        assertThat(settings.sweep()).isEmpty();
        assertThat(settings.trustedAge()).isEqualTo(Duration.ofMinutes(2));
    }

    /** Refresh interval, quiet interval, window, and what becomes of it: never longer than a quarter of the window, or ten intervals. */
    @ParameterizedTest
    @CsvSource({
        "3 s, 30 s, 2 minutes, 30",
        "3 s, 12 s, 2 minutes, 12",
        "3 s, 1 s, 2 minutes, 3",
        "1 s, 30 s, 2 minutes, 10",
        "3 s, 30 s, 40 s, 10",
        "10 s, 5 minutes, 10 minutes, 100",
        "50 s, 30 s, 2 minutes, 50"
    })
    void quietInterval_isLimitedByTheOthers(String refresh, String quiet, String window, int seconds) {
        SliceQuerySettings settings = read("refresh-interval = " + refresh + ", quiet-refresh-interval = " + quiet
                + ", backtracking.window = " + window);
        assertThat(settings.quietest()).isEqualTo(Duration.ofSeconds(seconds));
    }

    @ParameterizedTest
    @CsvSource({
        "page-size = 0, page-size",
        "page-size = 1001, page-size",
        "page-size = many, page-size",
        "refresh-interval = 0, refresh-interval",
        "refresh-interval = -1 s, refresh-interval",
        "quiet-refresh-interval = 0, quiet-refresh-interval",
        "behind-current-time = 0, behind-current-time",
        "backtracking = 5, backtracking",
        "backtracking.behind-current-time = 0, backtracking.behind-current-time",
        "backtracking.behind-current-time = 100 ms, backtracking.behind-current-time",
        "backtracking.window = 0, backtracking.window",
        "backtracking.window = 39 s, backtracking.window",
        "backtracking.windw = 39 s, backtracking.windw",
        "sweep.interval = never, sweep.interval",
        "sweep.interval = 0, sweep.interval",
        "sweep.window = 119 s, sweep.window",
        "sweep.often = true, sweep.often",
        "parallelism = 0, parallelism",
        "max-failures = 0, max-failures",
        "remembered-entities = 999, remembered-entities",
    })
    void badValue_isAnErrorThatNamesThePath(String setting, String path) {
        assertThatThrownBy(() -> read(setting))
                .isInstanceOf(SettingsException.class)
                .hasMessageStartingWith("my-read-journal." + path);
    }
}
