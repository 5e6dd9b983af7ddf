package io.varve.persistence.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.varve.store.SettingsException;
import io.varve.store.internal.snapshot.Compression;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The snapshot store's section: what it means, and what is said of a wrong one. */
class SnapshotSettingsTest {
    private static final Config SYSTEM = ConfigFactory.load();

    private static SnapshotSettings read(String more) {
        Config section = ConfigFactory.parseString(more)
                .withFallback(SYSTEM.getConfig("dynamodb-snapshot-store"))
                .withFallback(SYSTEM.getConfig("pekko.persistence.snapshot-store-plugin-fallback"));
        return SnapshotSettings.from(section, "my-snapshots", SYSTEM);
    }

    @Test
    void defaults_areThoseOfThePredecessorWhereItHasThem() {
        SnapshotSettings settings = read("");
        assertThat(settings.store().table()).isEqualTo("pekko-persistence-snapshot");
        assertThat(settings.store().journalName()).isEqualTo("journal");
        assertThat(settings.store().compression()).isEqualTo(Compression.NONE);
        assertThat(settings.store().maxSnapshotSize()).isEqualTo(20 * 1024 * 1024);
        assertThat(settings.store().maxLoadedSize()).isEqualTo(64 * 1024 * 1024);
        assertThat(settings.store().maxItemSize()).isEqualTo(409_600);
        assertThat(settings.store().partParallelism()).isEqualTo(4);
        assertThat(settings.loadOlderOnFailure()).isFalse();
    }

    @Test
    void operationTimeout_isEighteenSeconds_unlessTheSectionsOwnClientHasAnother() {
        assertThat(SYSTEM.getDuration("dynamodb-snapshot-store.client.operation-timeout"))
                .isEqualTo(Duration.ofSeconds(18));
        assertThat(SYSTEM.hasPath("dynamodb-snapshot-store.operation-timeout"))
                .as("it would win against the client's")
                .isFalse();
        Config own = ConfigFactory.load(
                ConfigFactory.parseString(
                        "dynamodb-snapshot-store.client.operation-timeout = 3 s, dynamodb-journal.client.request-timeout = 1 s"));
        assertThat(own.getDuration("dynamodb-snapshot-store.client.operation-timeout"))
                .isEqualTo(Duration.ofSeconds(3));
        assertThat(own.getDuration("dynamodb-snapshot-store.client.request-timeout"))
                .isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void values_areRead() {
        SnapshotSettings settings = read("compression = gzip, max-snapshot-size = 1 KiB, load-older-on-failure = on");
        assertThat(settings.store().compression()).isEqualTo(Compression.GZIP);
        assertThat(settings.store().maxSnapshotSize()).isEqualTo(1024);
        assertThat(settings.loadOlderOnFailure()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "snapshot-table = \"my table!\"   | snapshot-table | 'my table!' is not a table name that DynamoDB allows",
                "snapshot-table = \"\"            | snapshot-table | '' is not a table name that DynamoDB allows",
                "journal-name = \"\"              | journal-name | must not be empty",
                "compression = lz4                | compression | is 'lz4', but must be one of [none, gzip]",
                "max-snapshot-size = 0            | max-snapshot-size | is 0 bytes, but must be more",
                "max-snapshot-size = -1           | max-snapshot-size | negative number: -1",
                "max-snapshot-size = big          | max-snapshot-size | has the wrong form",
                "max-snapshot-size = 3 GiB        | max-snapshot-size | but must be less than 2 GiB",
                "max-loaded-size = 0              | max-loaded-size | is 0 bytes, but must be more",
                "max-loaded-size = 1 MiB          | max-loaded-size | is less than max-snapshot-size",
                "part-parallelism = 0             | part-parallelism | is 0, but must be from 1 to 100",
                "load-older-on-failure = perhaps  | load-older-on-failure | has the wrong form",
                "aws-api-limits.max-item-size = 1 | aws-api-limits.max-item-size | is 1, but must be from 10000 to 409600",
                "client-dispatcher = \"\"         | client-dispatcher | must not be empty",
            })
    void wrongSetting_isNamedWithItsPathAndTheReason(String setting, String key, String reason) {
        assertThatThrownBy(() -> read(setting))
                .isInstanceOf(SettingsException.class)
                .hasMessageStartingWith("my-snapshots." + key + " (String: 1): ")
                .hasMessageContaining(reason);
    }

    @ParameterizedTest
    @ValueSource(strings = {"snapshot-tabel", "max-snapshotsize", "aws-api-limits.max-batch-puts"})
    void unknownKey_isNamedWithTheKnownOnes(String key) {
        assertThatThrownBy(() -> read(key + " = 1"))
                .isInstanceOf(SettingsException.class)
                .hasMessageStartingWith("my-snapshots." + key + " (String: 1): this setting is not known")
                .hasMessageContaining("this section has [");
    }
}
