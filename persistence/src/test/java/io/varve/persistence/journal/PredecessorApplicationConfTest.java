package io.varve.persistence.journal;

import static io.varve.persistence.journal.TestEntity.events;
import static io.varve.persistence.journal.TestEntity.freshId;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.varve.persistence.internal.plugin.PluginClients;
import io.varve.persistence.journal.TestEntity.Failed;
import io.varve.persistence.journal.TestEntity.Options;
import io.varve.persistence.journal.TestEntity.Recovered;
import io.varve.store.ThrottledException;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.ThrottleCode;
import java.net.URI;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.Test;

/** An {@code application.conf} written for pekko-persistence-dynamodb 1.1.0, and the table that its README tells to create. */
@DynamoDBTest
class PredecessorApplicationConfTest {
    private final String table = TestJournal.createPredecessorTable();
    private final String persistenceId = freshId();

    private Config applicationConf(URI endpoint, String more) {
        return ConfigFactory.load(ConfigFactory.parseString("""
                pekko.persistence.journal.plugin = "my-dynamodb-journal"
                pekko.loggers = ["org.apache.pekko.event.slf4j.Slf4jLogger"]
                pekko.loglevel = WARNING

                my-dynamodb-journal = ${dynamodb-journal} # include the default settings
                my-dynamodb-journal {                     # and add some overrides
                    journal-table = "%s"
                    journal-name = "my-journal"
                    aws-access-key-id = "AKIDEXAMPLE"
                    aws-secret-access-key = "wJalrXUtnFEMI"
                    endpoint = "%s"
                    aws-client-config.max-connections = 100
                    %s
                }
                """.formatted(table, endpoint, more)));
    }

    @Test
    void configurationOfThePredecessor_runsUnchanged(DynamoDBLocal local) {
        ActorSystem system = ActorSystem.create("predecessor", applicationConf(local.endpoint(), ""));
        try {
            TestEntity entity = TestEntity.start(system, persistenceId);
            entity.recovered();
            entity.persist(events(1, 105).toArray()).expectStored(105);
            entity.persistAll(events(106, 110)).expectStored(5);
            entity.stop();
            assertThat(TestEntity.start(system, persistenceId).recovered())
                    .isEqualTo(new Recovered(events(1, 110), 110));
            assertThat(TestJournal.item(table, "my-journal", persistenceId, 110).event())
                    .isEqualTo("e110");
        } finally {
            TestKit.shutdownActorSystem(system);
        }
    }

    @Test
    void persistenceIdLongerThanAnIndexTakes_isStoredInATableWithoutIndexes(DynamoDBLocal local) {
        ActorSystem system = ActorSystem.create("predecessor", applicationConf(local.endpoint(), ""));
        try {
            String longId = persistenceId + "x".repeat(1_900);
            TestEntity entity = TestEntity.start(system, longId);
            entity.recovered();
            entity.persist(events(1, 101).toArray()).expectStored(101);
            entity.stop();
            assertThat(TestEntity.recover(system, longId)).isEqualTo(events(1, 101));
        } finally {
            TestKit.shutdownActorSystem(system);
        }
    }

    @Test
    void keysWithoutMeaning_areReportedOnceEach(DynamoDBLocal local) {
        Config config = applicationConf(local.endpoint(), """
                aws-client-config { use-gzip = true, max-error-retry = 5, response-metadata-cache-size = 50 }
                sequence-shards = 10
                fixes.high-distrust = true
                aws-api-limits.max-batch-get = 50
                """);
        try (LogCapture log = LogCapture.of(PluginClients.class, Level.WARN)) {
            ActorSystem system = ActorSystem.create("predecessor", config);
            try {
                TestEntity.recover(system, persistenceId);
                TestEntity entity = TestEntity.start(system, Options.of(persistenceId));
                entity.recovered();
                entity.persist("e1").expectStored(1);
            } finally {
                TestKit.shutdownActorSystem(system);
            }
            String end = " has no meaning for today's AWS client and is ignored.";
            assertThat(log.messages(Level.WARN))
                    .containsExactly(
                            "The setting my-dynamodb-journal.aws-client-config.max-error-retry" + end,
                            "The setting my-dynamodb-journal.aws-client-config.response-metadata-cache-size" + end,
                            "The setting my-dynamodb-journal.aws-client-config.use-gzip" + end);
        }
    }

    @Test
    void operationTimeout_isHonouredButKeptBelowTheCircuitBreaker(FaultProxy proxy) {
        Config config = applicationConf(
                proxy.endpoint(), "operation-timeout = 10 seconds, circuit-breaker.call-timeout = 4 seconds");
        try (LogCapture log = LogCapture.of("io.varve.persistence", Level.INFO)) {
            ActorSystem system = ActorSystem.create("predecessor", config);
            try {
                TestEntity entity = TestEntity.start(system, persistenceId);
                entity.recovered();
                proxy.on(RequestMatch.operation("PutItem"), Fault.throttle(ThrottleCode.REQUEST_LIMIT_EXCEEDED));
                assertThat(entity.persist("e1").expect(Failed.class).reason())
                        .isInstanceOf(ThrottledException.class)
                        .hasMessageContainingAll("PutItem on table '" + table + "'", "within 3.6 s");
            } finally {
                TestKit.shutdownActorSystem(system);
            }
            assertThat(log.messages(Level.INFO))
                    .singleElement()
                    .asString()
                    .startsWith("my-dynamodb-journal: operation-timeout (10000 ms) is shortened to 3600 ms");
        }
    }
}
