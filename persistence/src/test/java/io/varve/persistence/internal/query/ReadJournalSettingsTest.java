package io.varve.persistence.internal.query;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import org.junit.jupiter.api.Test;

class ReadJournalSettingsTest {

    @Test
    void toString_hasNoSecretsOfTheJournal() {
        Config config = ConfigFactory.parseString("""
                dynamodb-journal {
                  journal-table = orders
                  aws-access-key-id = id, aws-secret-access-key = s3cr3t
                  client.credentials.session-token = s3cr3t
                  aws-client-config.proxy-password = s3cr3t
                }
                """)
                .withFallback(ConfigFactory.load())
                .resolve();
        ReadJournalSettings settings =
                ReadJournalSettings.from(config.getConfig("dynamodb-read-journal"), "dynamodb-read-journal", config);
        assertThat(settings.toString()).contains("orders").doesNotContain("s3cr3t");
    }
}
