package io.varve.persistence.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.varve.persistence.journal.LogCapture;
import io.varve.store.TableMissingException;
import io.varve.store.VarveException;
import io.varve.store.internal.layout.SnapshotKeys;
import io.varve.store.internal.snapshot.SnapshotStore;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.TableNames;
import java.util.Map;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.persistence.typed.SnapshotCompleted;
import org.apache.pekko.persistence.typed.javadsl.RetentionCriteria;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Recovery when the newest snapshot cannot be read, or the table is not there. */
class UnreadableSnapshotTest {
    private static final String ID = "texts|1";
    private static final RetentionCriteria EVERY_TWO = RetentionCriteria.snapshotEvery(2, 9);

    private final TableNames names = TestSnapshots.createTables();

    private ActorSystem start(String more) {
        return ActorSystem.create(
                "unreadable", TestSnapshots.config(DynamoDBLocal.shared().endpoint(), names, more));
    }

    /** An entity with snapshots at 2 and 4, and five events. */
    private static void prepare(ActorSystem system) {
        Texts entity = Texts.start(system, ID, EVERY_TWO);
        entity.recovered();
        entity.addAll("a", "b");
        entity.expect(SnapshotCompleted.class);
        entity.addAll("c", "d");
        entity.expect(SnapshotCompleted.class);
        entity.add("e");
        entity.stop();
    }

    /** Makes the snapshot one of a class, and a serializer, that are no more. */
    private void spoil(long sequenceNumber) {
        try (DynamoDbAsyncClient client = DynamoDBLocal.shared().client()) {
            client.updateItem(r -> r.tableName(names.snapshots())
                            .key(new SnapshotKeys("journal").key(ID, sequenceNumber))
                            .updateExpression("SET ser_id = :id, ser_manifest = :manifest")
                            .expressionAttributeValues(Map.of(
                                    ":id", AttributeValue.fromN("4711"),
                                    ":manifest", AttributeValue.fromS("com.example.Gone"))))
                    .join();
        }
    }

    @Test
    void recovery_whenTheSnapshotsClassIsGone_failsAndSaysWhatToDo() {
        ActorSystem system = start("");
        try (LogCapture log = LogCapture.of("io.varve.persistence.snapshot", Level.ERROR)) {
            prepare(system);
            spoil(4);
            assertThat(Texts.start(system, ID, EVERY_TWO).recoveryFailure())
                    .isInstanceOf(VarveException.class)
                    .hasMessageContaining("The snapshot 4 of '" + ID + "' cannot be deserialized")
                    .hasMessageContaining("serializer 4711, manifest 'com.example.Gone'")
                    .hasMessageContaining("register a serializer")
                    .hasMessageContaining("load-older-on-failure = on");
            assertThat(log.messages(Level.ERROR))
                    .singleElement()
                    .asString()
                    .contains("Exception during recovery from snapshot");
        } finally {
            TestKit.shutdownActorSystem(system);
        }
    }

    @Test
    void recovery_withLoadOlderOnFailure_goesBackAndReplaysMore() {
        ActorSystem system = start("dynamodb-snapshot-store.load-older-on-failure = on");
        try (LogCapture log = LogCapture.of(SnapshotStore.class, Level.WARN)) {
            prepare(system);
            assertThat(Texts.start(system, ID, RetentionCriteria.disabled()).recovered())
                    .isEqualTo(new Texts.Recovered("abcde", 1));
            spoil(4);
            assertThat(Texts.start(system, ID, RetentionCriteria.disabled()).recovered())
                    .isEqualTo(new Texts.Recovered("abcde", 3));
            spoil(2);
            assertThat(Texts.start(system, ID, RetentionCriteria.disabled()).recovered())
                    .isEqualTo(new Texts.Recovered("abcde", 5));
            assertThat(log.messages(Level.WARN))
                    .hasSize(3)
                    .first()
                    .asString()
                    .contains("The snapshot 4 of '" + ID + "' cannot be read; an older one is tried");
        } finally {
            TestKit.shutdownActorSystem(system);
        }
    }

    @Test
    void recovery_fromTheOldestFormat_unwrapsTheSnapshot() {
        ActorSystem system = start("");
        try (DynamoDbAsyncClient client = DynamoDBLocal.shared().client()) {
            byte[] wrapper = {4, 0, 0, 0, 20, 0, 0, 0, 'o', 'l', 'd', 's', 'n', 'a', 'p'};
            client.putItem(r -> r.tableName(names.snapshots())
                            .item(Map.of(
                                    "par", AttributeValue.fromS("journal-P-" + ID),
                                    "seq", AttributeValue.fromN("3"),
                                    "ts", AttributeValue.fromN("1"),
                                    "pay", AttributeValue.fromB(SdkBytes.fromByteArray(wrapper)))))
                    .join();
            Texts entity = Texts.start(system, ID, EVERY_TWO);
            assertThat(entity.recovered()).isEqualTo(new Texts.Recovered("oldsnap", 0));
            assertThat(entity.add("!")).isEqualTo("oldsnap!");
        } finally {
            TestKit.shutdownActorSystem(system);
        }
    }

    @Test
    void recovery_whenTheTableIsMissing_namesItAndSaysWhatToDo() {
        ActorSystem system = start("dynamodb-snapshot-store.snapshot-table = not-there");
        try (LogCapture log = LogCapture.of("io.varve.persistence.snapshot", Level.ERROR)) {
            assertThat(Texts.start(system, ID, EVERY_TWO).recoveryFailure())
                    .isInstanceOf(TableMissingException.class)
                    .hasMessageContaining("Query on table 'not-there'")
                    .hasMessageContaining("VarveTables");
            assertThat(log.messages(Level.ERROR))
                    .singleElement()
                    .asString()
                    .contains("Exception during recovery from snapshot");
        } finally {
            TestKit.shutdownActorSystem(system);
        }
    }
}
