package io.varve.persistence.query;

import static io.varve.persistence.journal.TestEntity.events;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.varve.persistence.journal.TestEntity;
import io.varve.persistence.journal.TestJournal;
import io.varve.persistence.query.javadsl.DynamoDBReadJournal;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.FaultProxy;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.persistence.query.EventEnvelope;
import org.apache.pekko.persistence.query.PersistenceQuery;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A live query of one entity hears of its events; polling would take ten minutes. */
class EventsOfAnEntityPublishedTest {
    private static FaultProxy proxy;
    private static ActorSystem system;
    private static DynamoDBReadJournal journal;

    private final String id = "cart|" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        proxy = FaultProxy.start(DynamoDBLocal.shared().endpoint());
        system = ActorSystem.create(
                "entity",
                TestJournal.config(DynamoDBLocal.shared().endpoint(), TestJournal.createTable(), """
                        dynamodb-journal.publish-events.number-of-topics = 1
                        dynamodb-read-journal {
                          refresh-interval = 10 minutes
                          backtracking.window = 1 hour
                          sweep.window = 1 hour
                          client.local.port = %d
                        }
                        unpublished-journal = ${dynamodb-journal}
                        unpublished-journal.publish-events.enabled = off
                        """.formatted(
                                proxy.endpoint().getPort())));
        journal = PersistenceQuery.get(system)
                .getReadJournalFor(DynamoDBReadJournal.class, DynamoDBReadJournal.Identifier());
    }

    @AfterAll
    static void stop() {
        TestKit.shutdownActorSystem(system);
        proxy.close();
    }

    private static TestEntity started(String id) {
        return started(id, "");
    }

    private static TestEntity started(String id, String plugin) {
        TestEntity entity = TestEntity.start(system, TestEntity.Options.of(id).withJournal(plugin));
        entity.recovered();
        return entity;
    }

    private RunningQuery<EventEnvelope> live(long from, long to) {
        return RunningQuery.of(journal.eventsByPersistenceId(id, from, to), system);
    }

    @Test
    void events_comeWhenTheyAreStored_inOrder_andThoseOfOthersDoNot() {
        TestEntity entity = started(id);
        TestEntity other = started(id + "x");
        entity.persist("e1").expectStored(1);
        try (RunningQuery<EventEnvelope> query = live(0, 12)) {
            assertThat(query.next().event()).isEqualTo("e1");
            other.persist("x1").expectStored(1);
            entity.persist("e2").expectStored(1);
            assertThat(query.next().event()).isEqualTo("e2");
            entity.persistAll(events(3, 8)).expectStored(6);
            assertThat(query.next(6)).extracting(EventEnvelope::event).isEqualTo(events(3, 8));
            entity.persistAll(events(9, 20)).expectStored(12);
            assertThat(query.next(4)).extracting(EventEnvelope::event).isEqualTo(events(9, 12));
            query.expectEnd();
        }
    }

    @Test
    void nextEvent_ofAQueryThatWaits_costsNoRequest() {
        TestEntity entity = started(id);
        try (RunningQuery<EventEnvelope> query = live(1, Long.MAX_VALUE)) {
            AtomicInteger number = new AtomicInteger();
            await().until(
                            () -> { // sooner or later it waits when the event comes
                                proxy.requests().clear();
                                entity.persist("e" + number.incrementAndGet()).expectStored(1);
                                assertThat(query.next().event()).isEqualTo("e" + number.get());
                                return proxy.requests().size() == 0;
                            });
        }
    }

    @Test
    void eventsThatWereNotPublished_comeBeforeTheNextOneThatIs() {
        TestEntity quiet = started(id, "unpublished-journal");
        quiet.persist("e1").expectStored(1);
        try (RunningQuery<EventEnvelope> query = live(1, 4)) {
            assertThat(query.next().event()).isEqualTo("e1");
            quiet.persist("e2", "e3").expectStored(2);
            quiet.stop();
            started(id).persist("e4").expectStored(1);
            assertThat(query.next(3)).extracting(EventEnvelope::event).isEqualTo(events(2, 4));
            query.expectEnd();
        }
    }

    @Test
    void eventsThatArePublishedWhileTheConsumerIsBusy_comeWhenItAsks() {
        TestEntity entity = started(id);
        entity.persist(events(1, 20).toArray()).expectStored(20);
        try (RunningQuery<EventEnvelope> query = live(1, 300)) {
            query.next();
            entity.persistAsync(events(21, 300)).expectStored(280);
            assertThat(query.next(299)).extracting(EventEnvelope::event).isEqualTo(events(2, 300));
            query.expectEnd();
        }
    }
}
