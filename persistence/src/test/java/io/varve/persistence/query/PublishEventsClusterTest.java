package io.varve.persistence.query;

import static io.varve.persistence.journal.TestEntity.events;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.varve.persistence.internal.publish.EventTopic;
import io.varve.persistence.internal.publish.EventTopics;
import io.varve.persistence.internal.publish.JournalTopics;
import io.varve.persistence.internal.publish.PublishedEvents;
import io.varve.persistence.journal.LogCapture;
import io.varve.persistence.journal.TestEntity;
import io.varve.persistence.journal.TestJournal;
import io.varve.store.Slices;
import io.varve.store.internal.layout.Event;
import io.varve.testkit.DynamoDBLocal;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.cluster.Cluster;
import org.apache.pekko.cluster.MemberStatus;
import org.apache.pekko.persistence.journal.Tagged;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import scala.jdk.javaapi.CollectionConverters;

/** Nodes that are joined over TCP: what one writes, a query on another hears. */
class PublishEventsClusterTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static JournalTopics journal;
    private static ActorSystem writingNode;
    private static ActorSystem listeningNode;
    private static ActorSystem newerNode;

    /** All tests have entities of one slice, so that they share the topic. */
    private final String persistenceId = idInSlice(77);

    @BeforeAll
    static void startCluster() {
        String table = TestJournal.createTable();
        journal = new JournalTopics(table, "journal", 64);
        writingNode = node(table, "");
        listeningNode = node(table, "");
        newerNode = node(table, "pekko.actor.serializers.varve = \"io.varve.persistence.query.FutureSerializer\"");
        List<ActorSystem> nodes = List.of(writingNode, listeningNode, newerNode);
        nodes.forEach(node -> Cluster.get(node).join(Cluster.get(writingNode).selfAddress()));
        nodes.forEach(node -> awaitMembers(node, 3));
    }

    private static ActorSystem node(String table, String more) {
        return ActorSystem.create(
                "cluster", TestJournal.config(DynamoDBLocal.shared().endpoint(), table, """
                pekko.actor.provider = cluster
                pekko.remote.artery { transport = tcp, canonical { hostname = "127.0.0.1", port = 0 } }
                pekko.cluster {
                  jmx.enabled = off
                  gossip-interval = 100 ms
                  leader-actions-interval = 100 ms
                  typed.receptionist.distributed-data.gossip-interval = 100 ms
                }
                """ + more));
    }

    private static void awaitMembers(ActorSystem node, int count) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(CollectionConverters.asJava(
                                Cluster.get(node).state().members()))
                        .hasSize(count)
                        .allSatisfy(member -> assertThat(member.status()).isEqualTo(MemberStatus.up())));
    }

    @AfterAll
    static void stopCluster() {
        List.of(newerNode, listeningNode, writingNode).forEach(TestKit::shutdownActorSystem);
    }

    private static String idInSlice(int slice) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "cart|" + UUID.randomUUID())
                .filter(id -> Slices.of(id) == slice)
                .findFirst()
                .orElseThrow();
    }

    private EventTopic topic() {
        return journal.topicOf(persistenceId);
    }

    private static TestEntity started(String persistenceId) {
        TestEntity entity = TestEntity.start(writingNode, persistenceId);
        entity.recovered();
        return entity;
    }

    /** A subscriber on the listening node that the writing node knows of. */
    private Subscriber subscribed() {
        Subscriber subscriber = new Subscriber(listeningNode).to(topic());
        TestEntity first = started(idInSlice(77));
        await().atMost(PATIENCE).until(() -> {
            first.persist("is somebody there?").expectStored(1);
            return subscriber.hasHeard();
        });
        TestEntity last = started(idInSlice(77));
        last.persist("then let us begin").expectStored(1);
        PublishedEvents heard = subscriber.next();
        while (!heard.events().get(0).payload().bytes().asUtf8String().equals("then let us begin")) {
            heard = subscriber.next();
        }
        return subscriber;
    }

    @Test
    void events_reachASubscriberOnAnotherNodeAsTheyAreStored() {
        Subscriber remote = subscribed();
        Subscriber local = new Subscriber(writingNode).to(topic());
        TestEntity entity = started(persistenceId);
        entity.persist(new Tagged("e1", Set.of("red"))).expectStored(1);
        entity.persistAll(events(2, 130)).expectStored(129);
        entity.persistAsync(events(131, 200)).expectStored(70);
        for (int message = 0; message < 72; message++) {
            PublishedEvents arrived = remote.next();
            assertThat(arrived.persistenceId()).isEqualTo(persistenceId);
            assertThat(arrived.events()).hasSize(message == 1 ? 129 : 1);
            PublishedEvents sent = local.next();
            assertThat(arrived).isEqualTo(sent).isNotSameAs(sent);
        }
    }

    @Test
    void events_thatNoMessageBetweenNodesCanHold_areLeftToPolling() {
        Subscriber subscriber = subscribed();
        TestEntity entity = started(persistenceId);
        try (LogCapture errors = LogCapture.of("org.apache.pekko.remote", Level.WARN)) {
            entity.persist("x".repeat(250_000)).expectStored(1);
            entity.persist("x".repeat(300_000)).expectStored(1);
            entity.persistAll(List.of("x".repeat(150_000), "y".repeat(150_000))).expectStored(2);
            entity.persist("e5").expectStored(1);
            assertThat(subscriber.numbersUpTo(5)).containsExactly(List.of(1L), List.of(5L));
            assertThat(errors.messages(Level.WARN)).isEmpty();
        }
    }

    @Test
    void events_ofANewerVersionAreDropped_andWhenThatNodeHasLeftTheOthersGoOn() {
        Subscriber subscriber = subscribed();
        started(persistenceId).persist("e1").expectStored(1);
        assertThat(subscriber.numbersUpTo(1)).containsExactly(List.of(1L));
        List<Event> events = new RandomValues(1).publishedEvents().events();
        try (LogCapture warnings = LogCapture.of("org.apache.pekko.remote.artery.Deserializer", Level.WARN)) {
            await().atMost(PATIENCE).untilAsserted(() -> {
                EventTopics.get(newerNode).publish(topic(), events);
                assertThat(warnings.events())
                        .isNotEmpty()
                        .extracting(event -> event.getThrowableProxy().getMessage())
                        .allSatisfy(message ->
                                assertThat(message).startsWith("Version 99 of the format 'E' is not known here"));
            });
            Cluster.get(newerNode).leave(Cluster.get(newerNode).selfAddress());
            awaitMembers(writingNode, 2);
            awaitMembers(listeningNode, 2);
        }
        TestEntity entity = started(idInSlice(77));
        entity.persistAll(events(1, 3)).expectStored(3);
        assertThat(subscriber.numbersUpTo(3)).containsExactly(List.of(1L, 2L, 3L));
    }
}
