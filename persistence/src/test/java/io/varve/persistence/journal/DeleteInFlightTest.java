package io.varve.persistence.journal;

import static io.varve.persistence.journal.TestEntity.events;
import static io.varve.persistence.journal.TestEntity.freshId;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.persistence.journal.TestEntity.Recovered;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.Gate;
import io.varve.testkit.RequestMatch;
import java.util.List;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An actor that deletes its events, is stopped while that is under way, and is started again, here or on another node. */
class DeleteInFlightTest {
    private static final JournalKeys KEYS = new JournalKeys("journal");

    private static FaultProxy proxy;
    private static String table;
    private static ActorSystem system;
    private static ActorSystem other;

    private final String persistenceId = freshId();

    @BeforeAll
    static void startSystems() {
        proxy = FaultProxy.start(DynamoDBLocal.shared().endpoint());
        table = TestJournal.createTable();
        system = ActorSystem.create("in-flight", TestJournal.config(proxy.endpoint(), table, ""));
        other = ActorSystem.create("other", TestJournal.config(proxy.endpoint(), table, ""));
    }

    @AfterAll
    static void stopSystems() {
        TestKit.shutdownActorSystem(system);
        TestKit.shutdownActorSystem(other);
        proxy.close();
    }

    @AfterEach
    void clearFaults() {
        proxy.clear();
    }

    private boolean isStored(long number) {
        return TestJournal.item(table, "journal", persistenceId, number).has("seq");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void actorThatIsStartedAgain_goesOnAfterTheDeletedEvents(boolean onTheSameNode) {
        TestEntity entity = TestEntity.start(system, persistenceId);
        entity.recovered();
        entity.persistAll(events(1, 5)).expectStored(5);
        Gate raising = proxy.hold(RequestMatch.operation("PutItem")
                .keyPrefix("journal-SL-" + persistenceId)
                .times(1));
        Gate query = proxy.hold(RequestMatch.operation("Query")
                .key(KEYS.eventPartition(persistenceId, 0))
                .times(1));
        entity.delete(5);
        raising.awaitArrival();
        entity.stop();
        ActorSystem next = onTheSameNode ? system : other;
        TestEntity again = TestEntity.start(next, persistenceId);
        for (int i = 0; i < 5; i++) {
            TestEntity.recover(next, freshId()); // by now a recovery that did not wait has read the marks
        }
        raising.releaseAll();
        Awaitility.await().until(() -> !isStored(1) && !isStored(5));
        query.releaseAll();
        assertThat(again.recovered()).isEqualTo(new Recovered(List.of(), 5));
        again.persist("e6").expectStored(1);
        again.stop();
        assertThat(TestEntity.start(next, persistenceId).recovered()).isEqualTo(new Recovered(List.of("e6"), 6));
    }
}
