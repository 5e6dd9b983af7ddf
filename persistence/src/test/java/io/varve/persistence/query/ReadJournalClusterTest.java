package io.varve.persistence.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.varve.persistence.journal.TestEntity;
import io.varve.persistence.journal.TestEntity.Options;
import io.varve.persistence.journal.TestJournal;
import io.varve.persistence.query.javadsl.DynamoDBReadJournal;
import io.varve.testkit.DynamoDBLocal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.cluster.Cluster;
import org.apache.pekko.cluster.MemberStatus;
import org.apache.pekko.persistence.journal.Tagged;
import org.apache.pekko.persistence.query.EventEnvelope;
import org.apache.pekko.persistence.query.NoOffset;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.PersistenceQuery;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import scala.jdk.javaapi.CollectionConverters;

/** A query on one node and an entity on another: what is published comes at once, and what is not by polling. */
class ReadJournalClusterTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static ActorSystem writing;
    private static ActorSystem reading;

    private final String type = "t" + UUID.randomUUID();

    @BeforeAll
    static void startCluster() {
        String table = TestJournal.createTable();
        writing = node(table);
        reading = node(table);
        for (ActorSystem node : List.of(writing, reading)) {
            Cluster.get(node).join(Cluster.get(writing).selfAddress());
        }
        for (ActorSystem node : List.of(writing, reading)) {
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(CollectionConverters.asJava(
                                    Cluster.get(node).state().members()))
                            .hasSize(2)
                            .allSatisfy(member -> assertThat(member.status()).isEqualTo(MemberStatus.up())));
        }
    }

    /** Where nothing is polled that is not there when the query starts: one shard, and passes that come in an hour. */
    private static ActorSystem node(String table) {
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
                        dynamodb-journal.slice-index.shards = 1
                        dynamodb-read-journal {
                          refresh-interval = 1 hour
                          backtracking { behind-current-time = 30 minutes, window = 3 hours }
                          sweep { interval = off, window = 3 hours }
                          events-by-tag.entity-types = [tagged-type]
                        }
                        polled-journal = ${dynamodb-journal}
                        polled-journal { journal-name = polled, publish-events.enabled = off }
                        polled = ${dynamodb-read-journal}
                        polled { write-plugin = polled-journal, refresh-interval = 50 ms }
                        """));
    }

    @AfterAll
    static void stopCluster() {
        TestKit.shutdownActorSystem(reading);
        TestKit.shutdownActorSystem(writing);
    }

    private static DynamoDBReadJournal journal(String section) {
        return PersistenceQuery.get(reading).getReadJournalFor(DynamoDBReadJournal.class, section);
    }

    private static TestEntity started(String id, String plugin) {
        TestEntity entity = TestEntity.start(writing, Options.of(id).withJournal(plugin));
        entity.recovered();
        return entity;
    }

    /** Lets the entity persist until the query hears of it, then some more; all must come, in order. */
    private static <T> List<T> eventsHeard(TestEntity entity, Source<T, ?> query) {
        try (RunningQuery<T> live = RunningQuery.of(query, reading)) {
            CompletableFuture<Optional<T>> first = live.pull().toCompletableFuture();
            int[] stored = {0};
            await().atMost(PATIENCE).until(() -> {
                entity.persist(new Tagged("is somebody there?", Set.of("red"))).expectStored(1);
                stored[0]++;
                return first.isDone();
            });
            List<Object> more = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                more.add(new Tagged("e" + i, Set.of("red")));
            }
            entity.persist(more.toArray()).expectStored(20);
            entity.persistAll(more).expectStored(20);
            List<T> heard = new ArrayList<>(List.of(first.join().orElseThrow()));
            heard.addAll(live.next(stored[0] + 40 - 1));
            return heard;
        }
    }

    static List<Offset> beginnings() {
        return List.of(NoOffset.getInstance(), SliceOffsets.EMPTY);
    }

    @ParameterizedTest
    @MethodSource("beginnings")
    void eventsBySlices_comeFromAnotherNodeWithoutPolling(Offset beginning) {
        assertThat(eventsHeard(
                        started(type + "|1", ""),
                        journal(DynamoDBReadJournal.Identifier()).eventsBySlices(type, 0, 1023, beginning)))
                .extracting(envelope -> envelope.sequenceNr())
                .satisfies(numbers -> assertThat(numbers).isEqualTo(upTo(numbers.size())));
    }

    @Test
    void eventsByTag_comeFromAnotherNodeWithoutPolling() {
        assertThat(eventsHeard(
                        started("tagged-type|" + type, ""),
                        journal(DynamoDBReadJournal.Identifier()).eventsByTag("red", NoOffset.getInstance())))
                .extracting(EventEnvelope::sequenceNr)
                .satisfies(numbers -> assertThat(numbers).isEqualTo(upTo(numbers.size())));
    }

    @ParameterizedTest
    @MethodSource("beginnings")
    void eventsBySlices_thatAreNotPublished_comeByPolling(Offset beginning) {
        assertThat(eventsHeard(
                        started(type + "|1", "polled-journal"),
                        journal("polled").eventsBySlices(type, 0, 1023, beginning)))
                .extracting(envelope -> envelope.sequenceNr())
                .satisfies(numbers -> assertThat(numbers).isEqualTo(upTo(numbers.size())));
    }

    private static List<Long> upTo(int last) {
        return LongStream.rangeClosed(1, last).boxed().toList();
    }
}
