package io.varve.persistence.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.varve.store.internal.layout.Item;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.TableNames;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.persistence.typed.DeleteEventsCompleted;
import org.apache.pekko.persistence.typed.DeleteSnapshotsCompleted;
import org.apache.pekko.persistence.typed.SnapshotCompleted;
import org.apache.pekko.persistence.typed.SnapshotFailed;
import org.apache.pekko.persistence.typed.javadsl.RetentionCriteria;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ScanResponse;

/** Typed behaviours on journal and snapshot store together. */
@DynamoDBTest
class TypedSnapshotsTest {
    private static final String ID = "texts|1";
    private static final RetentionCriteria EVERY_FIVE =
            RetentionCriteria.snapshotEvery(5, 2).withDeleteEventsOnSnapshot();

    private final FaultProxy proxy;
    private final DynamoDbAsyncClient client;
    private final TableNames names = TestSnapshots.createTables();
    private final ActorSystem system;

    TypedSnapshotsTest(FaultProxy proxy, DynamoDbAsyncClient client) {
        this.proxy = proxy;
        this.client = client;
        this.system = start("");
    }

    private ActorSystem start(String more) {
        return ActorSystem.create("typed", TestSnapshots.config(proxy.endpoint(), names, more));
    }

    @AfterEach
    void stop() {
        TestKit.shutdownActorSystem(system);
    }

    private static String[] texts(int first, int last) {
        return IntStream.rangeClosed(first, last).mapToObj(n -> n + " ").toArray(String[]::new);
    }

    /** Adds five texts and waits for the end of what the retention does with them. */
    private static void cycle(Texts entity, int first) {
        entity.addAll(texts(first, first + 4));
        entity.expect(SnapshotCompleted.class);
        entity.expect(DeleteEventsCompleted.class);
        entity.expect(DeleteSnapshotsCompleted.class);
    }

    /** The sequence numbers of the items whose partition starts so. */
    private List<Long> stored(String table, String prefix) {
        List<Long> found = new ArrayList<>();
        Map<String, AttributeValue> start = Map.of();
        do {
            Map<String, AttributeValue> from = start;
            ScanResponse page = client.scan(r -> r.tableName(table)
                            .projectionExpression("seq")
                            .filterExpression("begins_with(par, :prefix)")
                            .expressionAttributeValues(Map.of(":prefix", AttributeValue.fromS(prefix)))
                            .exclusiveStartKey(from.isEmpty() ? null : from))
                    .join();
            page.items().forEach(item -> found.add(new Item(table, item).number("seq", 0, Long.MAX_VALUE)));
            start = page.lastEvaluatedKey();
        } while (!start.isEmpty());
        Collections.sort(found);
        return found;
    }

    @Test
    void retentionCycle_keepsWhatItShouldAndSpendsTheseRequests() {
        Texts entity = Texts.start(system, ID, EVERY_FIVE);
        assertThat(entity.recovered()).isEqualTo(new Texts.Recovered("", 0));
        entity.addAll(texts(1, 5));
        entity.expect(SnapshotCompleted.class);
        entity.addAll(texts(6, 10));
        entity.expect(SnapshotCompleted.class);
        cycle(entity, 11);
        proxy.requests().clear();
        cycle(entity, 16);
        assertThat(proxy.requests().table(names.snapshots()).operations())
                .as("save; find, delete, and look for parts")
                .containsExactly("PutItem", "Query[ts-idx]", "DeleteItem", "Query");
        List<String> requests = proxy.requests().table(names.journal()).operations();
        assertThat(requests)
                .as("five events; the last one that goes beside the marks, the low mark, and what is below it")
                .hasSize(9);
        assertThat(requests.subList(0, 5)).containsOnly("PutItem");
        assertThat(requests.subList(5, 7)).containsExactlyInAnyOrder("GetItem", "BatchGetItem(2)");
        assertThat(requests.subList(7, 9)).containsExactly("PutItem", "BatchWriteItem(5)");
        assertThat(stored(names.snapshots(), "journal-P-"))
                .as("Pekko keeps the one at the end of the deleted events, too")
                .containsExactly(10L, 15L, 20L);
        assertThat(stored(names.journal(), "journal-P-"))
                .containsExactly(11L, 12L, 13L, 14L, 15L, 16L, 17L, 18L, 19L, 20L);
        entity.add("21 ");
        entity.stop();

        proxy.requests().clear();
        Texts.Recovered recovered = Texts.start(system, ID, EVERY_FIVE).recovered();
        assertThat(recovered).isEqualTo(new Texts.Recovered(String.join("", texts(1, 21)), 1));
        assertThat(proxy.requests().operations()).containsExactlyInAnyOrder("Query", "Query", "BatchGetItem(2)");
    }

    @Test
    void stateOfFiveMegabytes_survivesARestart() {
        RetentionCriteria everyTwo = RetentionCriteria.snapshotEvery(2, 1).withDeleteEventsOnSnapshot();
        String large = "0123456789".repeat(30_000);
        Texts entity = Texts.start(system, ID, everyTwo);
        entity.recovered();
        StringBuilder expected = new StringBuilder();
        for (int event = 1; event <= 18; event++) {
            assertThat(entity.add(large)).hasSize(event * large.length());
            expected.append(large);
            if (event % 2 == 0) {
                entity.expect(SnapshotCompleted.class);
            }
            if (event % 2 == 0 && event > 2) {
                entity.expect(DeleteEventsCompleted.class);
                entity.expect(DeleteSnapshotsCompleted.class);
            }
        }
        entity.stop();
        ActorSystem next = start("");
        try {
            proxy.requests().clear();
            Texts.Recovered recovered = Texts.start(next, ID, everyTwo).recovered();
            assertThat(recovered.texts().contentEquals(expected)).isTrue();
            assertThat(recovered.replayed()).isZero();
            assertThat(proxy.requests().table(names.snapshots()).operations())
                    .containsExactlyInAnyOrder("Query", "BatchGetItem(12)", "BatchGetItem(2)");
        } finally {
            TestKit.shutdownActorSystem(next);
        }
        assertThat(stored(names.snapshots(), "journal-"))
                .as("two heads, two entries, 13 and 14 parts: of earlier snapshots nothing is left")
                .hasSize(2 + 2 + 13 + 14);
    }

    @Test
    void snapshotBeyondTheLimit_isReportedAndTheEntityGoesOn() {
        ActorSystem limited = start("dynamodb-snapshot-store.max-snapshot-size = 10 B");
        try {
            RetentionCriteria everyTwo = RetentionCriteria.snapshotEvery(2, 1);
            Texts entity = Texts.start(limited, ID, everyTwo);
            entity.recovered();
            entity.addAll("0123", "4567");
            entity.expect(SnapshotCompleted.class);
            entity.addAll("89", "abcd");
            assertThat(entity.expect(SnapshotFailed.class).getFailure())
                    .hasMessageContaining("The snapshot 4 of '" + ID + "' has 14 bytes, and max-snapshot-size is 10");
            entity.add("e");
            entity.stop();
            assertThat(Texts.start(limited, ID, everyTwo).recovered())
                    .isEqualTo(new Texts.Recovered("0123456789abcde", 3));
        } finally {
            TestKit.shutdownActorSystem(limited);
        }
    }

    @Test
    void applicationConfOfThePredecessor_runsUnchanged() {
        Config conf = ConfigFactory.load(
                ConfigFactory.parseString("""
                pekko.persistence.journal.plugin = "my-dynamodb-journal"
                pekko.persistence.snapshot-store.plugin = "my-dynamodb-snapshot-store"
                pekko.loggers = ["org.apache.pekko.event.slf4j.Slf4jLogger"]
                pekko.loglevel = WARNING

                my-dynamodb-journal = ${dynamodb-journal}                  # include the default settings
                my-dynamodb-journal {                                      # and add some overrides
                    journal-table = "%1$s"
                    journal-name = "mine"
                    endpoint = "%3$s"
                    aws-access-key-id = "AKIDEXAMPLE"
                    aws-secret-access-key = "wJalrXUtnFEMI"
                }
                my-dynamodb-snapshot-store = ${dynamodb-snapshot-store}    # include the default settings
                my-dynamodb-snapshot-store {                               # and add some overrides
                    snapshot-table = "%2$s"
                    journal-name = "mine"
                    endpoint = "%3$s"
                    aws-access-key-id = ${my-dynamodb-journal.aws-access-key-id}
                    aws-secret-access-key = ${my-dynamodb-journal.aws-secret-access-key}
                    aws-client-config { max-connections = 20 }
                    aws-api-limits { max-item-size = 400000, max-batch-get = 50 }
                    plugin-dispatcher = "my-dynamodb-journal.dispatcher"
                    client-dispatcher = "my-dynamodb-journal.dispatcher"
                    tracing = off
                    log-config = off
                }
                """.formatted(names.journal(), names.snapshots(), proxy.endpoint())));
        ActorSystem predecessors = ActorSystem.create("predecessor", conf);
        try {
            Texts entity = Texts.start(predecessors, ID, EVERY_FIVE);
            entity.recovered();
            entity.addAll(texts(1, 5));
            entity.expect(SnapshotCompleted.class);
            entity.stop();
            assertThat(Texts.start(predecessors, ID, EVERY_FIVE).recovered())
                    .isEqualTo(new Texts.Recovered("1 2 3 4 5 ", 0));
            assertThat(stored(names.snapshots(), "mine-P-" + ID)).containsExactly(5L);
        } finally {
            TestKit.shutdownActorSystem(predecessors);
        }
    }
}
