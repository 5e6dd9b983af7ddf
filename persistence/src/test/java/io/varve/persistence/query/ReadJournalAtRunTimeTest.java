package io.varve.persistence.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.varve.persistence.journal.TestEntity;
import io.varve.persistence.journal.TestEntity.Options;
import io.varve.persistence.journal.TestJournal;
import io.varve.persistence.query.javadsl.DynamoDBReadJournal;
import io.varve.store.SettingsException;
import io.varve.testkit.DynamoDBLocal;
import java.util.List;
import java.util.UUID;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.persistence.query.NoOffset;
import org.apache.pekko.persistence.query.PersistenceQuery;
import org.apache.pekko.persistence.query.PersistenceQuery$;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Read journals whose configuration the actor system does not have: all of it is given with the call. */
class ReadJournalAtRunTimeTest {
    private static ActorSystem system;

    private final String type = "t" + UUID.randomUUID();

    enum Language {
        JAVA,
        SCALA;

        Source<EventEnvelope<String>, ?> events(String path, Config config, String type) {
            return switch (this) {
                case JAVA ->
                    PersistenceQuery.get(system)
                            .getReadJournalFor(DynamoDBReadJournal.class, path, config)
                            .<String>currentEventsBySlices(type, 0, 1023, NoOffset.getInstance());
                case SCALA ->
                    PersistenceQuery$.MODULE$
                            .get(system)
                            .<io.varve.persistence.query.scaladsl.DynamoDBReadJournal>readJournalFor(path, config)
                            .<String>currentEventsBySlices(type, 0, 1023, NoOffset.getInstance())
                            .asJava();
            };
        }
    }

    @BeforeAll
    static void start() {
        system = ActorSystem.create("run-time", TestJournal.onNewTable(""));
    }

    @AfterAll
    static void stop() {
        TestKit.shutdownActorSystem(system);
    }

    /** A tenant with a table, an event adapter and a server of its own, and a client that is configured for it. */
    private static Config tenant(String name, DynamoDBLocal server, String table) {
        return resolved("""
                        %1$s {
                          client = ${pekko.persistence.dynamodb.client}
                          journal = ${dynamodb-journal}
                          journal {
                            journal-table = "%3$s"
                            event-adapters.wrapping = "io.varve.persistence.journal.WrappingAdapter"
                            event-adapter-bindings."java.lang.String" = wrapping
                            client.local.port = %2$d
                          }
                          queries = ${dynamodb-read-journal}
                          queries { write-plugin = "%1$s.journal", use-client = "%1$s.client" }
                        }
                        """.formatted(name, server.endpoint().getPort(), table), name);
    }

    private static Config resolved(String text, String path) {
        return ConfigFactory.parseString(text)
                .withFallback(system.settings().config())
                .resolve()
                .withOnlyPath(path);
    }

    private static List<String> texts(Source<EventEnvelope<String>, ?> events) {
        return RunningQuery.all(events, system).stream()
                .map(EventEnvelope::getEvent)
                .toList();
    }

    @ParameterizedTest
    @EnumSource
    void writePluginClientAndAdapters_areThoseThatWereGiven(Language language) {
        String tenant = "tenant-" + language;
        try (DynamoDBLocal elsewhere = DynamoDBLocal.inMemory()) {
            Config config = tenant(tenant, elsewhere, TestJournal.createTable(elsewhere));
            Source<EventEnvelope<String>, ?> events = language.events(tenant + ".queries", config, type);
            assertThat(texts(events)).isEmpty();
            TestEntity entity = TestEntity.start(
                    system,
                    Options.of(type + "|1").withJournal(tenant + ".journal").withRuntimeConfig(config));
            entity.recovered();
            entity.persist("one", "gone", "twice").expectStored(3);
            assertThat(texts(events)).containsExactly("one of version 1", "twice of version 1", "twice of version 1");
            entity.stop();
        }
    }

    @ParameterizedTest
    @EnumSource
    void writePluginThatNobodyHas_isNamed(Language language) {
        String path = "nobodys-" + language;
        Config config = resolved("""
                        %1$s = ${dynamodb-read-journal}
                        %1$s.write-plugin = "nobodys-journal"
                        """.formatted(path), path);
        assertThatThrownBy(() -> language.events(path, config, type))
                .rootCause()
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining(path + ".write-plugin")
                .hasMessageContaining("'nobodys-journal', which the configuration does not have");
    }
}
