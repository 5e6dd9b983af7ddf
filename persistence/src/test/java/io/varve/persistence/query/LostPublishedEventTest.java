package io.varve.persistence.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.varve.persistence.internal.publish.EventTopics;
import io.varve.persistence.internal.publish.JournalTopics;
import io.varve.persistence.journal.TestEntity;
import io.varve.persistence.journal.TestEntity.Options;
import io.varve.persistence.journal.TestJournal;
import io.varve.persistence.query.javadsl.DynamoDBReadJournal;
import io.varve.testkit.DynamoDBLocal;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.persistence.query.NoOffset;
import org.apache.pekko.persistence.query.PersistenceQuery;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A published message that gets lost is noticed by the number of the next one, where polling would take an hour. */
class LostPublishedEventTest {
    private static String table;
    private static ActorSystem system;

    private final String type = "t" + UUID.randomUUID();

    @BeforeAll
    static void startSystem() {
        table = TestJournal.createTable();
        system = ActorSystem.create(
                "lost", TestJournal.config(DynamoDBLocal.shared().endpoint(), table, """
                        dynamodb-journal { slice-index.shards = 1, publish-events.number-of-topics = 1 }
                        unpublished-journal = ${dynamodb-journal}
                        unpublished-journal { publish-events.enabled = off }
                        dynamodb-read-journal {
                          refresh-interval = 1 hour
                          backtracking { behind-current-time = 30 minutes, window = 3 hours }
                          sweep { interval = off, window = 3 hours }
                        }
                        """));
    }

    @AfterAll
    static void stopSystem() {
        TestKit.shutdownActorSystem(system);
    }

    private TestEntity started(String id, String journal) {
        TestEntity entity = TestEntity.start(system, Options.of(type + "|" + id).withJournal(journal));
        entity.recovered();
        return entity;
    }

    @Test
    void lostMessage_isFoundByTheNumberOfTheNextOne() {
        TestEntity published = started("published", "");
        TestEntity lost = started("lost", "unpublished-journal");
        try (RunningQuery<EventEnvelope<String>> live = RunningQuery.of(
                PersistenceQuery.get(system)
                        .getReadJournalFor(DynamoDBReadJournal.class, DynamoDBReadJournal.Identifier())
                        .<String>eventsBySlices(type, 0, 1023, NoOffset.getInstance()),
                system)) {
            CompletableFuture<Optional<EventEnvelope<String>>> first =
                    live.pull().toCompletableFuture();
            int[] stored = {0};
            await().atMost(TestEntity.PATIENCE).until(() -> {
                published.persist("is somebody there?").expectStored(1);
                stored[0]++;
                return first.isDone();
            });
            live.next(stored[0] - 1);
            lost.persist("lost").expectStored(1);
            EventTopics.get(system).unpublished(new JournalTopics(table, "journal", 1).topicOf(type + "|lost"));
            published.persist("next").expectStored(1);
            assertThat(live.next(2)).extracting(EventEnvelope::getEvent).containsExactlyInAnyOrder("lost", "next");
        }
    }
}
