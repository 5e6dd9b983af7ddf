package io.varve.persistence.query;

import static io.varve.persistence.journal.TestEntity.events;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import com.typesafe.config.ConfigFactory;
import io.varve.persistence.DynamoDBClients;
import io.varve.persistence.internal.publish.EventTopic;
import io.varve.persistence.internal.publish.JournalTopics;
import io.varve.persistence.internal.publish.PublishedEvents;
import io.varve.persistence.internal.publish.PublishedNumber;
import io.varve.persistence.journal.DynamoDBJournal;
import io.varve.persistence.journal.LogCapture;
import io.varve.persistence.journal.TestEntity;
import io.varve.persistence.journal.TestEntity.Failed;
import io.varve.persistence.journal.TestEntity.Options;
import io.varve.persistence.journal.TestEntity.Rejected;
import io.varve.persistence.journal.TestJournal;
import io.varve.store.internal.layout.Event;
import io.varve.testkit.DynamoDBLocal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.persistence.AtomicWrite;
import org.apache.pekko.persistence.JournalProtocol;
import org.apache.pekko.persistence.Persistence;
import org.apache.pekko.persistence.PersistentEnvelope;
import org.apache.pekko.persistence.PersistentRepr;
import org.apache.pekko.persistence.journal.Tagged;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.jdk.javaapi.CollectionConverters;

/** What the journal publishes: all that is stored, in order, and nothing else. */
class PublishEventsTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final AtomicReference<Instant> NOW = new AtomicReference<>(START);

    private static String table;
    private static ActorSystem system;
    private static ActorSystem otherNode;

    private final String persistenceId = "cart|" + UUID.randomUUID();
    private Subscriber subscriber;

    @BeforeAll
    static void startSystems() {
        table = TestJournal.createTable();
        system = ActorSystem.create(
                "publish", TestJournal.config(DynamoDBLocal.shared().endpoint(), table, """
                        dynamodb-journal.log-config = on
                        unpublished-journal = ${dynamodb-journal}
                        unpublished-journal { publish-events.enabled = off }
                        unindexed-journal = ${dynamodb-journal}
                        unindexed-journal { slice-index.enabled = off }
                        slow-journal = ${dynamodb-journal}
                        slow-journal {
                          journal-name = slow
                          publish-events { throughput-threshold = 5, throughput-interval = 1 s }
                        }
                        """));
        DynamoDBClients.get(system).useClock(NOW::get);
        otherNode = ActorSystem.create(
                "other-node", TestJournal.config(DynamoDBLocal.shared().endpoint(), table, ""));
    }

    @AfterAll
    static void stopSystems() {
        TestKit.shutdownActorSystem(system);
        TestKit.shutdownActorSystem(otherNode);
    }

    @BeforeEach
    void subscribe() {
        subscriber = new Subscriber(system).to(topicIn("journal"));
    }

    private EventTopic topicIn(String journalName) {
        return new JournalTopics(table, journalName, 64).topicOf(persistenceId);
    }

    private TestEntity started(String journal) {
        TestEntity entity = TestEntity.start(system, Options.of(persistenceId).withJournal(journal));
        entity.recovered();
        return entity;
    }

    private TestEntity started() {
        return started("");
    }

    private static List<String> texts(PublishedEvents published) {
        return published.events().stream()
                .map(event -> event.payload().bytes().asUtf8String())
                .toList();
    }

    @Test
    void persist_isPublishedAsItIsStored() {
        started().persist("e1").expectStored(1);
        PublishedEvents published = subscriber.next();
        assertThat(published.persistenceId()).isEqualTo(persistenceId);
        assertThat(published.events()).singleElement().satisfies(event -> {
            assertThat(event.sequenceNumber()).isEqualTo(1);
            assertThat(event.payload().bytes().asUtf8String()).isEqualTo("e1");
            assertThat(event.batch()).isEmpty();
            assertThat(Long.toString(event.timestamp()))
                    .isEqualTo(
                            TestJournal.item(table, "journal", persistenceId, 1).number("ts"));
        });
    }

    @Test
    void manyPersists_arePublishedInOrder() {
        started().persistAsync(events(1, 250)).expectStored(250);
        assertThat(subscriber.numbersUpTo(250))
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, 250).mapToObj(List::of).toList());
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 5, 250})
    void persistAll_isPublishedWhole(int count) {
        started().persistAll(events(1, count)).expectStored(count);
        PublishedEvents published = subscriber.next();
        assertThat(texts(published)).isEqualTo(events(1, count));
        assertThat(published.events()).extracting(Event::timestamp).isSorted().doesNotHaveDuplicates();
        assertThat(published.events())
                .allSatisfy(event -> assertThat(event.batchEnd()).isEqualTo(count));
    }

    @Test
    void tags_arePublished() {
        started().persist(new Tagged("e1", Set.of("red", "green"))).expectStored(1);
        PublishedEvents published = subscriber.next();
        assertThat(texts(published)).containsExactly("e1");
        assertThat(published.events().get(0).tags()).containsExactlyInAnyOrder("red", "green");
    }

    @Test
    void metadata_isPublished() {
        PersistentRepr repr = PersistentRepr.apply("e1", 1, persistenceId, "", false, ActorRef.noSender(), "writer")
                .withMetadata("who it was");
        TestKit writer = new TestKit(system);
        journal()
                .tell(
                        new JournalProtocol.WriteMessages(
                                CollectionConverters.asScala(List.<PersistentEnvelope>of(AtomicWrite.apply(repr)))
                                        .toList(),
                                writer.getRef(),
                                1),
                        writer.getRef());
        assertThat(subscriber.next().events().get(0).metadata())
                .hasValueSatisfying(
                        metadata -> assertThat(metadata.bytes().asUtf8String()).isEqualTo("who it was"));
    }

    private static ActorRef journal() {
        return Persistence.get(system).journalFor("", ConfigFactory.empty());
    }

    @Test
    void rejected_isNotPublished() {
        TestEntity entity = started();
        entity.persist(new Object()).expect(Rejected.class);
        entity.persist("x".repeat(500_000)).expect(Rejected.class);
        entity.persistAll(List.of("e3", new Object()));
        entity.expect(Rejected.class);
        entity.expect(Rejected.class);
        entity.persist("e5").expectStored(1);
        assertThat(subscriber.numbersUpTo(5)).containsExactly(List.of(5L));
    }

    @Test
    void failedWrite_isNotPublished() {
        TestEntity ours = started();
        TestEntity theirs = TestEntity.start(otherNode, persistenceId);
        theirs.recovered();
        theirs.persist("theirs").expectStored(1);
        ours.persist("ours").expect(Failed.class);
        ours.expectStopped();
        started().persist("e2").expectStored(1);
        assertThat(subscriber.numbersUpTo(2)).containsExactly(List.of(2L));
    }

    @ParameterizedTest
    @ValueSource(strings = {"unpublished-journal", "unindexed-journal"})
    void journalThatShallNotPublish_doesNot(String journal) {
        TestEntity silent = started(journal);
        silent.persist("e1").expectStored(1);
        silent.stop();
        started().persist("e2").expectStored(1);
        assertThat(subscriber.numbersUpTo(2)).containsExactly(List.of(2L));
    }

    @Test
    void aboveTheThreshold_isNotPublishedUntilTheRateFalls_whichIsReportedOnce() {
        subscriber.to(topicIn("slow"));
        try (LogCapture log = LogCapture.of("io.varve.persistence.internal.publish.EventPublisher", Level.DEBUG)) {
            TestEntity entity = started("slow-journal");
            entity.persist(events(1, 7).toArray()).expectStored(7);
            NOW.updateAndGet(now -> now.plus(Duration.ofSeconds(1)));
            entity.persist("e8").expectStored(1);
            NOW.updateAndGet(now -> now.plus(Duration.ofSeconds(1)));
            entity.persist("e9").expectStored(1);
            entity.persistAll(events(10, 20)).expectStored(11);
            NOW.updateAndGet(now -> now.plus(Duration.ofSeconds(2)));
            entity.persist("e21").expectStored(1);
            assertThat(subscriber.numbersUpTo(21))
                    .containsExactly(
                            List.of(1L), List.of(2L), List.of(3L), List.of(4L), List.of(5L), List.of(9L), List.of(21L));
            assertThat(log.messages(Level.INFO))
                    .singleElement()
                    .asString()
                    .startsWith("slow-journal: more than 5 events per second (publish-events.throughput-threshold)");
            assertThat(log.messages(Level.DEBUG)).hasSize(4);
        }
    }

    @Test
    void messages_areNumbered_andWhatIsNotPublishedLeavesItsNumberOut() {
        Subscriber slow = new Subscriber(system).to(topicIn("slow"));
        TestEntity entity = started("slow-journal");
        NOW.updateAndGet(now -> now.plus(Duration.ofSeconds(4)));
        entity.persist(events(1, 7).toArray()).expectStored(7);
        NOW.updateAndGet(now -> now.plus(Duration.ofSeconds(4)));
        entity.persist("e8").expectStored(1);
        List<PublishedNumber> numbers = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            numbers.add(slow.next().number().orElseThrow());
        }
        assertThat(numbers)
                .extracting(PublishedNumber::publisher)
                .containsOnly(numbers.get(0).publisher());
        long first = numbers.get(0).number();
        assertThat(numbers)
                .extracting(PublishedNumber::number)
                .containsExactly(first, first + 1, first + 2, first + 3, first + 4, first + 7);
    }

    @Test
    void publishingThatFails_doesNotConcernTheWrites_andIsReportedOnce() {
        String id = "blocked|" + UUID.randomUUID();
        String name = new JournalTopics(table, "journal", 64).topicOf(id).name();
        Adapter.toTyped(system).systemActorOf(Behaviors.empty(), name, Props.empty()); // takes the topic's name away
        try (LogCapture log = LogCapture.of("io.varve.persistence.internal.publish.EventPublisher", Level.WARN)) {
            TestEntity entity = TestEntity.start(system, id);
            entity.recovered();
            entity.persist("e1", "e2").expectStored(2);
            entity.stop();
            assertThat(TestEntity.recover(system, id)).isEqualTo(events(1, 2));
            assertThat(log.messages(Level.WARN))
                    .containsExactly("dynamodb-journal: events cannot be published; queries find them by polling."
                            + " Reported once.");
        }
    }

    @Test
    void journalThatWasRestarted_publishesOn() {
        TestEntity entity = started();
        entity.persist("e1").expectStored(1);
        try (LogCapture expected = LogCapture.of("org.apache.pekko.actor.OneForOneStrategy", Level.ERROR);
                LogCapture starts = LogCapture.of(DynamoDBJournal.class, Level.INFO)) {
            ActorRef nobody = ActorRef.noSender();
            journal().tell(new JournalProtocol.WriteMessages(null, nobody, 1), nobody); // makes it throw
            entity.persist("e2").expectStored(1);
            assertThat(expected.messages(Level.ERROR)).hasSize(1);
            assertThat(starts.messages(Level.INFO))
                    .singleElement()
                    .asString()
                    .startsWith("dynamodb-journal starts with");
        }
        assertThat(subscriber.numbersUpTo(2)).containsExactly(List.of(1L), List.of(2L));
    }
}
