package io.varve.persistence.journal;

import static io.varve.persistence.journal.TestEntity.events;
import static io.varve.persistence.journal.TestEntity.freshId;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.varve.persistence.journal.TestEntity.Deleted;
import io.varve.persistence.journal.TestEntity.Options;
import io.varve.persistence.journal.TestEntity.Stored;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.pekko.persistence.Recovery;
import org.apache.pekko.persistence.SnapshotSelectionCriteria;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Everything that a classic persistent actor asks of the journal. */
class ClassicActorTest {
    @RegisterExtension
    static final JournalSystem JOURNAL = JournalSystem.of("classic", "");

    private final String persistenceId = freshId();

    private TestEntity start() {
        return TestEntity.start(JOURNAL.system(), persistenceId);
    }

    private static Recovery bounds(long to, long max) {
        return Recovery.create(SnapshotSelectionCriteria.none(), to, max);
    }

    private List<Object> recovered(Recovery recovery) {
        TestEntity entity =
                TestEntity.start(JOURNAL.system(), Options.of(persistenceId).withRecovery(recovery));
        List<Object> events = entity.recovered().events();
        entity.stop();
        return events;
    }

    @Test
    void newEntity_recoversNothing() {
        assertThat(start().recovered()).isEqualTo(new TestEntity.Recovered(List.of(), 0));
    }

    @Test
    void persist_isRecoveredInOrderAfterAStop() {
        TestEntity entity = start();
        entity.recovered();
        assertThat(entity.persist("e1", "e2", "e3").expectStored(3))
                .containsExactly(new Stored("e1", 1), new Stored("e2", 2), new Stored("e3", 3));
        entity.stop();
        assertThat(start().recovered()).isEqualTo(new TestEntity.Recovered(events(1, 3), 3));
    }

    @Test
    void hundredsOfEvents_surviveStopsAtAndAroundGroupBorders() {
        int stored = 0;
        for (int next : List.of(99, 100, 101, 199, 200, 350)) {
            TestEntity entity = start();
            assertThat(entity.recovered()).isEqualTo(new TestEntity.Recovered(events(1, stored), stored));
            entity.persist(events(stored + 1, next).toArray()).expectStored(next - stored);
            entity.stop();
            stored = next;
        }
        assertThat(TestEntity.recover(JOURNAL.system(), persistenceId)).isEqualTo(events(1, 350));
    }

    @Test
    void persistAll_acrossGroupBordersAndLargerThanATransaction_isRecoveredWhole() {
        TestEntity entity = start();
        entity.recovered();
        entity.persistAll(events(1, 95)).expectStored(95);
        entity.persistAll(events(96, 105)).expectStored(10);
        entity.persistAll(events(106, 330)).expectStored(225);
        entity.stop();
        assertThat(start().recovered()).isEqualTo(new TestEntity.Recovered(events(1, 330), 330));
    }

    @Test
    void persistAsync_manyAtOnce_keepsTheirOrder() {
        TestEntity entity = start();
        entity.recovered();
        List<Object> all = events(1, 450);
        assertThat(entity.persistAsync(all).expectStored(450))
                .extracting(Stored::event)
                .isEqualTo(all);
        entity.stop();
        assertThat(TestEntity.recover(JOURNAL.system(), persistenceId)).isEqualTo(all);
    }

    @Test
    void mixedWays_areRecoveredInTheOrderOfTheirNumbers() {
        TestEntity entity = start();
        entity.recovered();
        List<Object> expected = new ArrayList<>();
        for (int round = 0; round < 30; round++) {
            int first = round * 7 + 1;
            entity.persist("e" + first)
                    .persistAsync(events(first + 1, first + 3))
                    .persistAll(events(first + 4, first + 6));
            expected.addAll(events(first, first + 6));
        }
        entity.expectStored(expected.size());
        entity.stop();
        assertThat(TestEntity.recover(JOURNAL.system(), persistenceId)).isEqualTo(expected);
    }

    @Test
    void restartBySupervisor_continuesWithTheNextNumber() {
        TestEntity entity = start();
        entity.recovered();
        entity.persist("e1").expectStored(1);
        try (LogCapture expected = LogCapture.of("org.apache.pekko.actor.OneForOneStrategy", Level.ERROR)) {
            entity.fail();
            assertThat(entity.recovered()).isEqualTo(new TestEntity.Recovered(events(1, 1), 1));
            assertThat(expected.messages(Level.ERROR)).containsExactly("asked for by the test");
        }
        assertThat(entity.persist("e2").expect(Stored.class)).isEqualTo(new Stored("e2", 2));
    }

    @Test
    void deleteMessages_hidesTheEventsAndKeepsTheHighestNumber() {
        TestEntity entity = start();
        entity.recovered();
        entity.persist(events(1, 120).toArray()).expectStored(120);
        assertThat(entity.delete(110).expect(Deleted.class)).isEqualTo(new Deleted(110));
        entity.stop();
        TestEntity second = start();
        assertThat(second.recovered()).isEqualTo(new TestEntity.Recovered(events(111, 120), 120));
        second.delete(Long.MAX_VALUE).expect(Deleted.class);
        second.stop();
        TestEntity third = start();
        assertThat(third.recovered()).isEqualTo(new TestEntity.Recovered(List.of(), 120));
        assertThat(third.persist("e121").expect(Stored.class)).isEqualTo(new Stored("e121", 121));
        third.stop();
        assertThat(start().recovered()).isEqualTo(new TestEntity.Recovered(List.of("e121"), 121));
    }

    @Test
    void deleteMessages_insideAnAtomicWrite_keepsItsRest() {
        TestEntity entity = start();
        entity.recovered();
        entity.persistAll(events(1, 10)).expectStored(10);
        entity.delete(4).expect(Deleted.class);
        entity.stop();
        assertThat(start().recovered()).isEqualTo(new TestEntity.Recovered(events(5, 10), 10));
    }

    @Test
    void recovery_withBounds_replaysUpToThem() {
        TestEntity entity = start();
        entity.recovered();
        entity.persist(events(1, 250).toArray()).expectStored(250);
        entity.stop();
        assertThat(recovered(bounds(120, Long.MAX_VALUE))).isEqualTo(events(1, 120));
        assertThat(recovered(bounds(Long.MAX_VALUE, 205))).isEqualTo(events(1, 205));
        assertThat(recovered(bounds(150, 7))).isEqualTo(events(1, 7));
        assertThat(recovered(bounds(1_000, 1_000))).isEqualTo(events(1, 250));
        assertThat(recovered(bounds(Long.MAX_VALUE, 0))).isEmpty();
    }

    @Test
    void recovery_withABoundInsideAnAtomicWrite_showsNothingOfIt() {
        TestEntity entity = start();
        entity.recovered();
        entity.persist("e1").expectStored(1);
        entity.persistAll(events(2, 6)).expectStored(5);
        entity.persist("e7").expectStored(1);
        entity.stop();
        assertThat(recovered(bounds(4, Long.MAX_VALUE))).isEqualTo(events(1, 1));
        assertThat(recovered(bounds(6, Long.MAX_VALUE))).isEqualTo(events(1, 6));
        assertThat(recovered(bounds(Long.MAX_VALUE, 3))).isEqualTo(events(1, 1));
    }

    @Test
    void recoveryNone_replaysNothingAndContinuesWithTheNextNumber() {
        TestEntity entity = start();
        entity.recovered();
        entity.persist(events(1, 101).toArray()).expectStored(101);
        entity.stop();
        TestEntity writer =
                TestEntity.start(JOURNAL.system(), Options.of(persistenceId).withRecovery(Recovery.none()));
        assertThat(writer.recovered().events()).isEmpty();
        assertThat(writer.persist("e102").expect(Stored.class)).isEqualTo(new Stored("e102", 102));
        writer.stop();
        assertThat(TestEntity.recover(JOURNAL.system(), persistenceId)).isEqualTo(events(1, 102));
    }

    @Test
    void manyEntities_atTheSameTime_keepApart() {
        List<String> ids = Stream.generate(TestEntity::freshId).limit(40).toList();
        List<TestEntity> entities =
                ids.stream().map(id -> TestEntity.start(JOURNAL.system(), id)).toList();
        for (int i = 0; i < entities.size(); i++) {
            entities.get(i).persistAsync(List.of("a" + i, "b" + i, "c" + i));
        }
        entities.forEach(entity -> {
            entity.recovered();
            entity.expectStored(3);
            entity.stop();
        });
        for (int i = 0; i < ids.size(); i++) {
            assertThat(TestEntity.recover(JOURNAL.system(), ids.get(i))).containsExactly("a" + i, "b" + i, "c" + i);
        }
    }
}
