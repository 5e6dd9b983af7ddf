package io.varve.persistence.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.varve.persistence.internal.publish.PublishSettings;
import io.varve.store.SettingsException;
import io.varve.store.internal.append.AtomicWrites;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The journal's section: what it means, and what is said of a wrong one. */
class JournalSettingsTest {
    private static final Config SYSTEM = ConfigFactory.load();

    private static JournalSettings read(String more) {
        Config section = ConfigFactory.parseString(more)
                .withFallback(SYSTEM.getConfig("dynamodb-journal"))
                .withFallback(SYSTEM.getConfig("pekko.persistence.journal-plugin-fallback"));
        return JournalSettings.from(section, "my-dynamodb-journal", SYSTEM);
    }

    @Test
    void defaults_areThoseOfThePredecessorWhereItHasThem() {
        JournalSettings settings = read("");
        assertThat(settings.store().table()).isEqualTo("pekko-persistence");
        assertThat(settings.store().journalName()).isEqualTo("journal");
        assertThat(settings.store().sequenceShards()).isEmpty();
        assertThat(settings.store().atomicWrites()).isEqualTo(AtomicWrites.TRANSACTIONAL);
        assertThat(settings.store().sliceIndex()).isTrue();
        assertThat(settings.store().indexShards()).isEqualTo(64);
        assertThat(settings.store().replayParallelism()).isEqualTo(10);
        assertThat(settings.store().highDistrust()).isFalse();
        assertThat(settings.publish()).isEqualTo(new PublishSettings(true, 64, 400, Duration.ofSeconds(10)));
        assertThat(settings.plugin().circuitBreakerTimeout()).isEqualTo(Duration.ofSeconds(10));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "journal-table = \"my table!\"   | my-dynamodb-journal.journal-table | 'my table!' is not a table name that DynamoDB allows: 3 to 255 of the characters",
                "journal-table = ab              | my-dynamodb-journal.journal-table | 'ab' is not a table name that DynamoDB allows",
                "journal-table = \"\"            | my-dynamodb-journal.journal-table | '' is not a table name that DynamoDB allows",
                "sequence-shards = 0             | my-dynamodb-journal.sequence-shards | is 0, but must be auto or a whole number from 1 to 10000",
                "sequence-shards = -1            | my-dynamodb-journal.sequence-shards | is -1, but must be auto or a whole number from 1 to 10000",
                "sequence-shards = many          | my-dynamodb-journal.sequence-shards | is many, but must be auto or a whole number from 1 to 10000",
                "journal-name = \"\"             | my-dynamodb-journal.journal-name | must not be empty",
                "slice-index.shards = 100        | my-dynamodb-journal.slice-index.shards | is 100, but must be a divisor of 1024",
                "slice-index.shards = 0          | my-dynamodb-journal.slice-index.shards | is 0, but must be a divisor of 1024",
                "slice-index.shards = all        | my-dynamodb-journal.slice-index.shards | is 'all', but must be a whole number",
                "publish-events.number-of-topics = 48 | my-dynamodb-journal.publish-events.number-of-topics | is 48, but must be a divisor of 1024",
                "publish-events.number-of-topics = 0 | my-dynamodb-journal.publish-events.number-of-topics | is 0, but must be a divisor of 1024",
                "publish-events.number-of-topics = 2048 | my-dynamodb-journal.publish-events.number-of-topics | is 2048, but must be a divisor of 1024",
                "publish-events.number-of-topics = some | my-dynamodb-journal.publish-events.number-of-topics | is 'some', but must be a whole number",
                "publish-events.throughput-threshold = 0 | my-dynamodb-journal.publish-events.throughput-threshold | is 0, but must be from 1 to 1000000000",
                "publish-events.throughput-interval = 0 s | my-dynamodb-journal.publish-events.throughput-interval | is 0 s, but must be longer than zero",
                "publish-events = on             | my-dynamodb-journal.publish-events | must be a section",
                "slice-index = on                | my-dynamodb-journal.slice-index | must be a section",
                "atomic-writes = sometimes       | my-dynamodb-journal.atomic-writes | is 'sometimes', but must be one of [transactional, marked]",
                "replay-parallelism = 0          | my-dynamodb-journal.replay-parallelism | is 0, but must be from 1 to 1000",
                "delete-parallelism = -3         | my-dynamodb-journal.delete-parallelism | is -3, but must be from 1 to 1000",
                "aws-api-limits.max-item-size = 0 | my-dynamodb-journal.aws-api-limits.max-item-size | is 0, but must be from 1 to 409600",
                "circuit-breaker.call-timeout = -1 s | my-dynamodb-journal.circuit-breaker.call-timeout | is -1 s, but must be longer than zero",
                "client-dispatcher = \"\"        | my-dynamodb-journal.client-dispatcher | must not be empty",
                "log-config = perhaps            | my-dynamodb-journal.log-config | has the wrong form",
            })
    void wrongSetting_isNamedWithItsPathAndTheReason(String setting, String path, String reason) {
        assertThatThrownBy(() -> read(setting))
                .isInstanceOf(SettingsException.class)
                .hasMessageStartingWith(path + " (String: 1): ")
                .hasMessageContaining(reason);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "journal-tabel",
                "slice-index.shard",
                "fixes.high-trust",
                "publish-events.topics",
                "aws-api-limits.max-batch-puts",
            })
    void unknownKey_isNamedWithTheKnownOnes(String key) {
        assertThatThrownBy(() -> read(key + " = 1"))
                .isInstanceOf(SettingsException.class)
                .hasMessageStartingWith("my-dynamodb-journal." + key + " (String: 1): this setting is not known")
                .hasMessageContaining("this section has [");
    }
}
