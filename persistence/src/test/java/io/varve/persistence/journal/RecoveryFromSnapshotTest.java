package io.varve.persistence.journal;

import static io.varve.persistence.journal.TestEntity.events;
import static io.varve.persistence.journal.TestEntity.freshId;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.persistence.journal.TestEntity.Deleted;
import io.varve.persistence.journal.TestEntity.Options;
import io.varve.persistence.journal.TestEntity.Recovered;
import io.varve.persistence.journal.TestEntity.SnapshotTaken;
import io.varve.persistence.journal.TestEntity.Stored;
import java.nio.file.Path;
import java.util.List;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The journal beside a snapshot store (Pekko's own): replay begins after the snapshot, wherever that lies. */
class RecoveryFromSnapshotTest {
    private static ActorSystem system;

    private final String persistenceId = freshId();

    @BeforeAll
    static void startSystem(@TempDir Path folder) {
        system = ActorSystem.create("snapshots", TestJournal.onNewTable("""
                pekko.persistence.snapshot-store {
                  plugin = "pekko.persistence.snapshot-store.local"
                  local.dir = "%s"
                }
                """.formatted(folder)));
    }

    @AfterAll
    static void stopSystem() {
        TestKit.shutdownActorSystem(system);
    }

    private TestEntity start(long snapshotAt) {
        return TestEntity.start(system, Options.of(persistenceId).withSnapshots(snapshotAt));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 98, 99, 100, 101, 199, 200, 205})
    void snapshot_anywhere_leavesTheEventsAfterItToTheJournal(long snapshotAt) {
        TestEntity entity = start(snapshotAt);
        entity.recovered();
        entity.persist(events(1, (int) snapshotAt).toArray()).expectStored((int) snapshotAt);
        entity.expect(SnapshotTaken.class);
        entity.persist(events((int) snapshotAt + 1, 205).toArray()).expectStored(205 - (int) snapshotAt);
        entity.stop();
        TestEntity next = start(0);
        assertThat(next.recovered()).isEqualTo(new Recovered(events(1, 205), 205));
        assertThat(next.persist("e206").expect(Stored.class)).isEqualTo(new Stored("e206", 206));
        next.stop();
        assertThat(start(0).recovered()).isEqualTo(new Recovered(events(1, 206), 206));
    }

    @ParameterizedTest
    @ValueSource(longs = {2, 5, 97, 99, 100})
    void snapshotInsideAnAtomicWrite_itsRestIsReplayed(long snapshotAt) {
        TestEntity entity = start(snapshotAt);
        entity.recovered();
        entity.persist("e1").expectStored(1);
        entity.persistAll(events(2, 110));
        List<Stored> before = entity.expectStored((int) snapshotAt - 1);
        assertThat(before).hasSize((int) snapshotAt - 1);
        entity.expectStored(110 - (int) snapshotAt);
        assertThat(entity.expect(SnapshotTaken.class)).isEqualTo(new SnapshotTaken(snapshotAt));
        entity.stop();
        assertThat(start(0).recovered()).isEqualTo(new Recovered(events(1, 110), 110));
    }

    @Test
    void eventsBeforeTheSnapshotDeleted_theEntityGoesOn() {
        TestEntity entity = start(150);
        entity.recovered();
        entity.persist(events(1, 150).toArray()).expectStored(150);
        entity.expect(SnapshotTaken.class);
        assertThat(entity.delete(150).expect(Deleted.class)).isEqualTo(new Deleted(150));
        entity.stop();
        TestEntity next = start(0);
        assertThat(next.recovered()).isEqualTo(new Recovered(events(1, 150), 150));
        assertThat(next.persist("e151").expect(Stored.class)).isEqualTo(new Stored("e151", 151));
        next.stop();
        assertThat(start(0).recovered()).isEqualTo(new Recovered(events(1, 151), 151));
    }
}
