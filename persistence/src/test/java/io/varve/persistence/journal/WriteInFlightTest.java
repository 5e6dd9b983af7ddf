package io.varve.persistence.journal;

import static io.varve.persistence.journal.TestEntity.events;
import static io.varve.persistence.journal.TestEntity.freshId;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.persistence.journal.TestEntity.Recovered;
import io.varve.persistence.journal.TestEntity.Stored;
import io.varve.testkit.Gate;
import io.varve.testkit.RequestMatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An actor that is stopped while its event is on the way, and started again. */
class WriteInFlightTest {
    @RegisterExtension
    static final JournalSystem JOURNAL = JournalSystem.behindProxy("in-flight", """
                        one-attempt = ${dynamodb-journal}
                        one-attempt { operation-timeout = 2 s, client.request-timeout = 2 s }
                        """);

    private final String persistenceId = freshId();

    @ParameterizedTest
    @ValueSource(ints = {2, 5, 120})
    void recovery_waitsForTheWriteUnderWayAndContainsIt(int last) {
        TestEntity entity = TestEntity.start(JOURNAL.system(), persistenceId);
        entity.recovered();
        entity.persist("e1").expectStored(1);
        Gate gate = JOURNAL.proxy()
                .hold(RequestMatch.operation("PutItem", "TransactWriteItems").keyPrefix("journal-P-" + persistenceId));
        if (last == 2) {
            entity.persist("e2");
        } else {
            entity.persistAll(events(2, last));
        }
        gate.awaitArrival();
        entity.stop();
        TestEntity next = TestEntity.start(JOURNAL.system(), persistenceId);
        for (int i = 0; i < 5; i++) {
            TestEntity.recover(
                    JOURNAL.system(), freshId()); // by now a recovery that did not wait would have read as well
        }
        gate.releaseAll();
        assertThat(next.recovered()).isEqualTo(new Recovered(events(1, last), last));
        assertThat(next.persist("next").expect(Stored.class)).isEqualTo(new Stored("next", last + 1));
        next.stop();
        assertThat(TestEntity.start(JOURNAL.system(), persistenceId).recovered().highest())
                .isEqualTo(last + 1);
    }

    @Test
    void writeThatFailedAndArrivesLate_overwritesNothing() {
        TestEntity.Options options = TestEntity.Options.of(persistenceId).withJournal("one-attempt");
        TestEntity entity = TestEntity.start(JOURNAL.system(), options);
        entity.recovered();
        entity.persist("e1").expectStored(1);
        Gate gate = JOURNAL.proxy()
                .hold(RequestMatch.operation("PutItem")
                        .keyPrefix("journal-P-" + persistenceId)
                        .times(1));
        entity.persist("late");
        gate.awaitArrival();
        entity.stop();
        TestEntity next = TestEntity.start(JOURNAL.system(), options);
        assertThat(next.recovered()).isEqualTo(new Recovered(events(1, 1), 1));
        next.persist("e2").expectStored(1);
        gate.releaseAll();
        next.persist("e3").expectStored(1);
        next.stop();
        assertThat(TestEntity.start(JOURNAL.system(), options).recovered()).isEqualTo(new Recovered(events(1, 3), 3));
    }
}
