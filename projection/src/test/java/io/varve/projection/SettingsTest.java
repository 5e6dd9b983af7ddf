package io.varve.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.varve.projection.internal.settings.OffsetStoreSettings;
import io.varve.projection.internal.settings.Pauses;
import io.varve.projection.internal.settings.TimeToLive;
import io.varve.projection.internal.settings.ViewSettings;
import io.varve.store.SettingsException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The section of a projection's offsets. */
class SettingsTest {
    private static final Config REFERENCE = ConfigFactory.defaultReference().getConfig(DynamoDBProjectionSettings.PATH);

    private static DynamoDBProjectionSettings settings(String text) {
        return DynamoDBProjectionSettings.create(
                ConfigFactory.parseString(text).withFallback(REFERENCE).resolve());
    }

    @Test
    void defaults_areWhatTheReferenceSays() {
        OffsetStoreSettings values = TestBench.values(settings(""));
        assertThat(values.table()).isEqualTo("timestamp_offset");
        assertThat(values.timeWindow()).isEqualTo(Duration.ofMinutes(5));
        assertThat(values.maxEntities()).isEqualTo(100_000);
        assertThat(values.sliceFlushInterval()).isEqualTo(Duration.ofSeconds(1));
        assertThat(values.batchSize()).isEqualTo(25);
        assertThat(values.retries())
                .isEqualTo(new OffsetStoreSettings.Retries(
                        3, new Pauses(Duration.ofMillis(200), Duration.ofSeconds(2), 0.3)));
        assertThat(values.replayMissing()).isTrue();
        assertThat(values.acceptResetAfter()).isEmpty();
        assertThat(values.parallelism()).isEqualTo(1);
        assertThat(values.timeToLive()).isEqualTo(TimeToLive.off());
        assertThat(values.parking()).isEqualTo(new OffsetStoreSettings.Parking(false, 100, Duration.ofSeconds(10)));
    }

    @Test
    void everyKey_canBeSet() {
        OffsetStoreSettings values = TestBench.values(settings("""
                        offset-store {
                          timestamp-offset-table = "mine"
                          time-window = 1 minute
                          max-entities = 1000
                          slice-flush-interval = 2 s
                          offset-batch-size = 10
                          retries { max-retries = 5, min-backoff = 1 ms, max-backoff = 1 s, random-factor = 0 }
                          replay-on-rejected-sequence-numbers = off
                          accept-sequence-number-reset-after = 1 day
                        }
                        exactly-once { parallelism = 16, group-commit = 50 }
                        view { parallelism = 4, max-waiting = 50, max-states = 60, read-ahead-after = 5 s }
                        park { max-parked = 7, check-interval = 1 s }
                        time-to-live.projection-defaults.offset-time-to-live = 7 days
                        """));
        assertThat(values)
                .isEqualTo(new OffsetStoreSettings(
                        "mine",
                        Duration.ofMinutes(1),
                        1000,
                        Duration.ofSeconds(2),
                        10,
                        new OffsetStoreSettings.Retries(5, new Pauses(Duration.ofMillis(1), Duration.ofSeconds(1), 0)),
                        false,
                        Optional.of(Duration.ofDays(1)),
                        16,
                        OptionalInt.of(50),
                        new ViewSettings(4, 50, 60, Optional.of(Duration.ofSeconds(5))),
                        new TimeToLive(Optional.of(Duration.ofDays(7)), java.util.Map.of()),
                        new OffsetStoreSettings.Parking(false, 7, Duration.ofSeconds(1))));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    offset-store.timestamp-offset-table = ""                | offset-store.timestamp-offset-table
                    offset-store.time-window = 0 s                          | offset-store.time-window
                    on-failure = wait                                       | on-failure
                    park.max-parked = 0                                     | park.max-parked
                    park.check-interval = 0 s                               | park.check-interval
                    park.limit = 1                                          | park.limit
                    offset-store.replay-on-rejected-sequence-numbers = off, on-failure = park | on-failure
                    offset-store.max-entities = 99                          | offset-store.max-entities
                    offset-store.slice-flush-interval = soon                | offset-store.slice-flush-interval
                    offset-store.offset-batch-size = 26                     | offset-store.offset-batch-size
                    offset-store.offset-batch-size = 0                      | offset-store.offset-batch-size
                    offset-store.retries.max-retries = -1                   | offset-store.retries.max-retries
                    offset-store.retries.min-backoff = -1 s                 | offset-store.retries.min-backoff
                    offset-store.retries.min-backoff = 1 minute             | offset-store.retries.max-backoff
                    offset-store.retries.random-factor = much               | offset-store.retries.random-factor
                    offset-store.replay-on-rejected-sequence-numbers = so   | offset-store.replay-on-rejected-sequence-numbers
                    offset-store.accept-sequence-number-reset-after = 0 s   | offset-store.accept-sequence-number-reset-after
                    exactly-once.parallelism = 0                            | exactly-once.parallelism
                    view.parallelism = 0                                    | view.parallelism
                    view.max-waiting = 0                                    | view.max-waiting
                    view.max-states = none                                  | view.max-states
                    view.read-ahead-after = soon                            | view.read-ahead-after
                    offset-store.offset-batchsize = 10                      | offset-store.offset-batchsize
                    offset-store.retries.max = 10                           | offset-store.retries.max
                    exactly-once.parallel = 10                              | exactly-once.parallel
                    offset-stores.a = 10                                    | offset-stores
                    time-to-live.projections.a = 10                         | time-to-live.projections
                    time-to-live.projections.a.ttl = 10                     | time-to-live.projections
                    time-to-live.projections.a.offset-time-to-live = 0 s    | time-to-live.projections
                    time-to-live.defaults.offset-time-to-live = 10 s        | time-to-live.defaults
                    exactly-once.group-commit = 101                         | exactly-once.group-commit
                    exactly-once.group-commit = on                          | exactly-once.group-commit
                    """)
    void badValuesAndUnknownKeys_areNamed(String text, String path) {
        assertThatThrownBy(() -> settings(text))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining(DynamoDBProjectionSettings.PATH + "." + path);
    }

    @Test
    void section_thatIsNotThere_isNamed() {
        try (TestSystem test = new TestSystem("")) {
            assertThatThrownBy(() -> DynamoDBProjectionSettings.create(test.system(), "second-projection"))
                    .isInstanceOf(SettingsException.class)
                    .hasMessageContaining("second-projection");
        }
    }

    @Test
    void withMethods_makeACheckedCopy() {
        DynamoDBProjectionSettings first = settings("");
        DynamoDBProjectionSettings second = first.withTimestampOffsetTable("mine")
                .withParallelism(4)
                .withGroupCommit(30)
                .withSliceFlushInterval(Duration.ofSeconds(9))
                .withTimeWindow(Duration.ofHours(1))
                .withUseClient("second.client");
        assertThat(first.timestampOffsetTable()).isEqualTo("timestamp_offset");
        assertThat(second.timestampOffsetTable()).isEqualTo("mine");
        assertThat(TestBench.values(second).parallelism()).isEqualTo(4);
        assertThat(TestBench.values(first).groupCommit()).isEmpty();
        assertThat(TestBench.values(second).groupCommit()).hasValue(30);
        assertThat(TestBench.values(second).sliceFlushInterval()).isEqualTo(Duration.ofSeconds(9));
        assertThat(TestBench.values(second).timeWindow()).isEqualTo(Duration.ofHours(1));
        assertThat(second.config().getString("use-client")).isEqualTo("second.client");
        assertThatThrownBy(() -> first.withParallelism(0)).isInstanceOf(SettingsException.class);
        assertThatThrownBy(() -> first.withGroupCommit(1))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("exactly-once.group-commit")
                .hasMessageContaining("must be from 2 to 100");
        assertThatThrownBy(() -> first.withTimestampOffsetTable("no")).isInstanceOf(SettingsException.class);
    }

    @Test
    void timeToLive_isOfTheName_elseOfTheLongestPrefix_elseTheDefault() {
        TimeToLive times = TestBench.values(settings("""
                        time-to-live {
                          projection-defaults.offset-time-to-live = 1 day
                          projections {
                            "some-projection" { offset-time-to-live = 2 days }
                            "some-*" { offset-time-to-live = 3 days }
                            "some-pro*" { offset-time-to-live = 4 days }
                            "never.*" { offset-time-to-live = off }
                          }
                        }
                        """)).timeToLive();
        assertThat(times.of("some-projection")).contains(Duration.ofDays(2));
        assertThat(times.of("some-projections")).contains(Duration.ofDays(4));
        assertThat(times.of("some-other")).contains(Duration.ofDays(3));
        assertThat(times.of("never.mind")).isEmpty();
        assertThat(times.of("other")).contains(Duration.ofDays(1));
    }
}
