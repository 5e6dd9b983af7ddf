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

    @ParameterizedTest
    @CsvSource({
        "page-size = 0, page-size",
        "page-size = 1001, page-size",
        "page-size = many, page-size",
        "refresh-interval = 0, refresh-interval",
        "refresh-interval = -1 s, refresh-interval",
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
