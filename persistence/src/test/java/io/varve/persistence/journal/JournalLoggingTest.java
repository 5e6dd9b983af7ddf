package io.varve.persistence.journal;

import static io.varve.persistence.journal.TestEntity.freshId;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.varve.testkit.DynamoDBLocal;
import java.util.List;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.Test;

/** The switches {@code tracing} and {@code log-config}. */
class JournalLoggingTest {
    private static final String TRACING = "io.varve.persistence.internal.plugin.Tracing";

    /** What is logged while an entity persists an event. */
    private static List<String> logged(String logger, Level level, String table, String more) {
        try (LogCapture log = LogCapture.of(logger, level)) {
            ActorSystem system = ActorSystem.create(
                    "logging", TestJournal.config(DynamoDBLocal.shared().endpoint(), table, more));
            try {
                TestEntity entity = TestEntity.start(system, freshId());
                entity.recovered();
                entity.persist("the payload").expectStored(1);
                entity.stop();
            } finally {
                TestKit.shutdownActorSystem(system);
            }
            return log.messages(level);
        }
    }

    @Test
    void tracing_logsEachRequestAtDebug() {
        String table = TestJournal.createTable();
        List<String> messages = logged(TRACING, Level.DEBUG, table, "dynamodb-journal.tracing = on");
        assertThat(messages)
                .anySatisfy(message -> assertThat(message)
                        .startsWith("dynamodb-journal: PutItem on " + table + ", 1 items, attempt 1: ok after "))
                .anySatisfy(message -> assertThat(message).startsWith("dynamodb-journal: Query on " + table))
                .noneSatisfy(message -> assertThat(message).contains("the payload"));
    }

    @Test
    void tracingOff_logsNothing() {
        assertThat(logged(TRACING, Level.DEBUG, TestJournal.createTable(), "")).isEmpty();
    }

    @Test
    void logConfig_logsTheSettingsWithSecretsMasked() {
        String table = TestJournal.createTable();
        String endpoint = DynamoDBLocal.shared().endpoint().toString();
        List<String> messages = logged(DynamoDBJournal.class.getName(), Level.INFO, table, """
                pekko.persistence.dynamodb.client { local.enabled = off, region = eu-west-1 }
                dynamodb-journal {
                  log-config = on
                  endpoint = "%s"
                  aws-access-key-id = "AKIDEXAMPLE"
                  aws-secret-access-key = "s3cr3t-key"
                  client.credentials.session-token = "s3cr3t-token"
                }
                """.formatted(endpoint));
        assertThat(messages)
                .singleElement()
                .asString()
                .startsWith("dynamodb-journal starts with ")
                .contains("table=" + table, "journalName=journal", "eu-west-1", endpoint, "AKIDEXAMPLE", "***")
                .doesNotContain("s3cr3t");
    }

    @Test
    void logConfig_masksTheProxysPassword() {
        try (LogCapture log = LogCapture.of(DynamoDBJournal.class, Level.INFO)) {
            ActorSystem system = ActorSystem.create("logging", TestJournal.onNewTable("""
                    dynamodb-journal {
                      log-config = on, operation-timeout = 100 ms
                      aws-client-config { proxy-host = "127.0.0.1", proxy-port = 1, proxy-password = "s3cr3t-proxy" }
                    }
                    """));
            try {
                // nobody listens at the proxy's port: only the start of the plugin matters here
                TestEntity.start(system, freshId()).expect(TestEntity.RecoveryFailed.class);
            } finally {
                TestKit.shutdownActorSystem(system);
            }
            assertThat(log.messages(Level.INFO))
                    .singleElement()
                    .asString()
                    .contains("127.0.0.1")
                    .doesNotContain("s3cr3t");
        }
    }

    @Test
    void logConfigOff_logsNothing() {
        assertThat(logged(DynamoDBJournal.class.getName(), Level.INFO, TestJournal.createTable(), ""))
                .isEmpty();
    }
}
