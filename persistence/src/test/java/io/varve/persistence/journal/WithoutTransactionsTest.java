package io.varve.persistence.journal;

import static io.varve.persistence.journal.TestEntity.freshId;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.persistence.journal.TestEntity.Failed;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import java.util.List;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A table that takes no transactions, as a strongly consistent global table does: what the guide to global tables says. */
class WithoutTransactionsTest {
    private static final int FIRST_GROUP = 99;

    private FaultProxy proxy;
    private ActorSystem system;

    @BeforeEach
    void start() {
        proxy = FaultProxy.start(DynamoDBLocal.shared().endpoint()).recording(false);
        proxy.on(
                RequestMatch.operation("TransactWriteItems"),
                Fault.error(400, "ValidationException", "Transactions are not supported on this table"));
        system = ActorSystem.create(
                "no-transactions", TestJournal.config(proxy.endpoint(), TestJournal.createTable(), ""));
    }

    @AfterEach
    void stop() {
        TestKit.shutdownActorSystem(system);
        proxy.close();
    }

    @Test
    void singleEvents_areStoredUpToTheEndOfAGroup_andTheNextOneFails() {
        String id = freshId();
        TestEntity entity = TestEntity.start(system, id);
        entity.recovered();
        for (int number = 1; number <= FIRST_GROUP; number++) {
            entity.persist("event").expectStored(1);
        }
        entity.persist("event");
        assertThat(entity.expect(Failed.class).reason())
                .hasMessageContaining("was refused: Transactions are not supported on this table");

        TestEntity again = TestEntity.start(system, id);
        assertThat(again.recovered().highest()).isEqualTo(FIRST_GROUP);
    }

    @Test
    void severalEventsAtOnce_fail_andNoneIsStored() {
        String id = freshId();
        TestEntity entity = TestEntity.start(system, id);
        entity.recovered();
        entity.persistAll(List.of("one", "two"));
        assertThat(entity.expect(Failed.class).reason()).hasMessageContaining("was refused");
        assertThat(TestEntity.start(system, id).recovered().highest()).isZero();
    }
}
