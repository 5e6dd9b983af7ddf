package io.varve.persistence.journal;

import static io.varve.persistence.journal.TestEntity.events;
import static io.varve.persistence.journal.TestEntity.freshId;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.persistence.journal.TestEntity.Failed;
import io.varve.persistence.journal.TestEntity.Recovered;
import io.varve.persistence.journal.TestEntity.RecoveryFailed;
import io.varve.persistence.journal.TestEntity.Rejected;
import io.varve.persistence.journal.TestEntity.Stored;
import io.varve.store.EventRejectedException;
import io.varve.store.KeyException;
import io.varve.store.StoreException;
import io.varve.store.ThrottledException;
import io.varve.store.VarveException;
import io.varve.store.WriterConflictException;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.ThrottleCode;
import java.util.ArrayList;
import java.util.List;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.model.ThrottlingReason;

/** What an actor hears of an event that cannot be stored, and that nothing else suffers from it. */
class RejectedAndFailedTest {
    private static final int KB = 1024;

    private static String table;
    private static FaultProxy proxy;
    private static ActorSystem system;
    private static ActorSystem otherNode;

    private final String persistenceId = freshId();

    @BeforeAll
    static void startSystems() {
        table = TestJournal.createTable();
        proxy = FaultProxy.start(DynamoDBLocal.shared().endpoint()).recording(false);
        system = ActorSystem.create("rejected", TestJournal.config(proxy.endpoint(), table, """
                impatient-journal = ${dynamodb-journal}
                impatient-journal { operation-timeout = 3 seconds }
                """));
        otherNode = ActorSystem.create(
                "other-node", TestJournal.config(DynamoDBLocal.shared().endpoint(), table, ""));
    }

    @AfterAll
    static void stopSystems() {
        TestKit.shutdownActorSystem(system);
        TestKit.shutdownActorSystem(otherNode);
        proxy.close();
    }

    @AfterEach
    void clearFaults() {
        proxy.clear();
    }

    private TestEntity start() {
        return TestEntity.start(system, persistenceId);
    }

    private TestEntity started() {
        TestEntity entity = start();
        entity.recovered();
        return entity;
    }

    @Test
    void persist_ofSomethingNotSerializable_isRejectedAndTheEntityGoesOn() {
        TestEntity entity = started();
        entity.persist("e1").expectStored(1);
        Object notSerializable = new Object();
        Rejected rejected = entity.persist(notSerializable).expect(Rejected.class);
        assertThat(rejected.sequenceNumber()).isEqualTo(2);
        assertThat(rejected.event()).isSameAs(notSerializable);
        assertThat(rejected.reason()).hasMessageContaining("java.lang.Object");
        assertThat(entity.persist("e3").expect(Stored.class)).isEqualTo(new Stored("e3", 3));
        entity.stop();
        assertThat(start().recovered()).isEqualTo(new Recovered(List.of("e1", "e3"), 3));
    }

    @Test
    void persist_whenTheLastEventWasRejected_itsNumberIsUsedAgainAfterARestart() {
        TestEntity entity = started();
        entity.persist("e1").expectStored(1);
        entity.persist(new Object()).expect(Rejected.class);
        entity.stop();
        TestEntity next = start();
        assertThat(next.recovered()).isEqualTo(new Recovered(List.of("e1"), 1));
        assertThat(next.persist("e2").expect(Stored.class)).isEqualTo(new Stored("e2", 2));
    }

    @Test
    void persist_rejectedAtGroupBorders_hidesNothing() {
        TestEntity entity = started();
        entity.persist(events(1, 98).toArray()).expectStored(98);
        List<Object> expected = new ArrayList<>(events(1, 98));
        entity.persist(new Object()).expect(Rejected.class); // 99, the group's end
        entity.persist(new Object()).expect(Rejected.class); // 100, the next group's start
        assertThat(entity.persist("e101").expect(Stored.class)).isEqualTo(new Stored("e101", 101));
        expected.add("e101");
        entity.stop();
        TestEntity next = start();
        assertThat(next.recovered()).isEqualTo(new Recovered(expected, 101));
        next.persist("e102").expectStored(1);
        next.stop();
        expected.add("e102");
        assertThat(start().recovered()).isEqualTo(new Recovered(expected, 102));
    }

    @Test
    void firstEventRejected_theEntityBeginsWithTheSecond() {
        TestEntity entity = started();
        entity.persist(new Object()).expect(Rejected.class);
        entity.persist("e2").expectStored(1);
        entity.stop();
        assertThat(start().recovered()).isEqualTo(new Recovered(List.of("e2"), 2));
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 5 * KB})
    void persist_ofAnEventThatIsTooLarge_isRejectedWithItsSizeAndTheLimit(int kilobytes) {
        TestEntity entity = started();
        entity.persist("e1").expectStored(1);
        Rejected rejected = entity.persist("x".repeat(kilobytes * KB)).expect(Rejected.class);
        assertThat(rejected.reason())
                .isInstanceOf(EventRejectedException.class)
                .hasMessageContainingAll(
                        "Event 2 of '" + persistenceId + "'",
                        kilobytes * KB + " of them the serialized event",
                        "the limit is 409600");
        assertThat(entity.persist("e3").expect(Stored.class)).isEqualTo(new Stored("e3", 3));
        entity.stop();
        assertThat(start().recovered()).isEqualTo(new Recovered(List.of("e1", "e3"), 3));
    }

    @Test
    void persist_ofTheLargestEvent_isStored() {
        TestEntity entity = started();
        String large = "x".repeat(399 * KB);
        entity.persist(large).expectStored(1);
        entity.persistAll(List.of(large, large, large, large, large, large, large, large, large, large, large))
                .expectStored(11);
        entity.stop();
        assertThat(start().recovered().events()).hasSize(12).containsOnly(large);
    }

    @Test
    void persistAll_withOneBadEvent_isRejectedAsAWholeAndTheEntityGoesOn() {
        TestEntity entity = started();
        entity.persist("e1").expectStored(1);
        entity.persistAll(List.of("e2", new Object(), "e4"));
        assertThat(List.of(entity.expect(Rejected.class), entity.expect(Rejected.class), entity.expect(Rejected.class)))
                .extracting(Rejected::sequenceNumber)
                .containsExactly(2L, 3L, 4L);
        entity.persistAll(List.of("e5", "x".repeat(401 * KB)));
        assertThat(entity.expect(Rejected.class).reason()).hasMessageContaining("Event 6 of '" + persistenceId + "'");
        entity.expect(Rejected.class);
        assertThat(entity.persistAll(List.of("e7", "e8")).expectStored(2))
                .containsExactly(new Stored("e7", 7), new Stored("e8", 8));
        entity.stop();
        assertThat(start().recovered()).isEqualTo(new Recovered(List.of("e1", "e7", "e8"), 8));
    }

    @Test
    void persist_whenAnotherWriterWasFaster_failsAndKeepsTheirEvent() {
        TestEntity ours = started();
        TestEntity theirs = TestEntity.start(otherNode, persistenceId);
        theirs.recovered();
        theirs.persist("theirs").expectStored(1);
        Failed failed = ours.persist("ours").expect(Failed.class);
        assertThat(failed.reason())
                .isInstanceOf(WriterConflictException.class)
                .hasMessageContaining("Event 1 of '" + persistenceId + "' was not written");
        assertThat(failed.event()).isEqualTo("ours");
        ours.expectStopped();
        TestEntity again = start();
        assertThat(again.recovered()).isEqualTo(new Recovered(List.of("theirs"), 1));
        again.persist("ours").expectStored(1);
        assertThat(theirs.persist("late").expect(Failed.class).reason()).isInstanceOf(WriterConflictException.class);
        theirs.expectStopped();
        assertThat(TestEntity.recover(otherNode, persistenceId)).containsExactly("theirs", "ours");
    }

    @Test
    void persistAll_whenAnotherWriterTookOneOfItsNumbers_failsAndStoresNothing() {
        TestEntity ours = started();
        TestEntity theirs = TestEntity.start(otherNode, persistenceId);
        theirs.recovered();
        theirs.persist("t1", "t2").expectStored(2);
        assertThat(ours.persistAll(List.of("o1", "o2", "o3"))
                        .expect(Failed.class)
                        .reason())
                .isInstanceOf(WriterConflictException.class);
        ours.expectStopped();
        assertThat(start().recovered()).isEqualTo(new Recovered(List.of("t1", "t2"), 2));
    }

    @Test
    void persist_throttledForAWhile_succeeds() {
        TestEntity entity = started();
        proxy.on(
                RequestMatch.operation("PutItem", "TransactWriteItems").times(5),
                Fault.throttle(ThrottleCode.PROVISIONED_THROUGHPUT_EXCEEDED));
        assertThat(entity.persist("e1").expect(Stored.class)).isEqualTo(new Stored("e1", 1));
        proxy.on(
                RequestMatch.operation("PutItem", "TransactWriteItems").times(5),
                Fault.throttle(ThrottleCode.THROTTLING));
        entity.persistAll(List.of("e2", "e3")).expectStored(2);
        entity.stop();
        proxy.on(RequestMatch.any().times(5), Fault.throttle(ThrottleCode.REQUEST_LIMIT_EXCEEDED));
        assertThat(start().recovered()).isEqualTo(new Recovered(events(1, 3), 3));
    }

    @Test
    void persist_throttledForEver_failsWithinOperationTimeoutWithTheReasonAndTheResource() {
        TestEntity entity =
                TestEntity.start(system, TestEntity.Options.of(persistenceId).withJournal("impatient-journal"));
        entity.recovered();
        proxy.on(
                RequestMatch.operation("PutItem"),
                Fault.throttle(
                        ThrottleCode.PROVISIONED_THROUGHPUT_EXCEEDED,
                        ThrottlingReason.builder()
                                .reason("TableWriteProvisionedThroughputExceeded")
                                .resource("arn:aws:dynamodb:eu-west-1:123456789012:table/events")
                                .build()));
        Failed failed = entity.persist("e1").expect(Failed.class);
        assertThat(failed.reason())
                .isInstanceOf(ThrottledException.class)
                .hasMessageContainingAll(
                        "PutItem on table '" + table + "' was throttled",
                        "TableWriteProvisionedThroughputExceeded on arn:aws:dynamodb:eu-west-1:123456789012:table/events",
                        "within 3.0 s");
        entity.expectStopped();
        proxy.clear();
        TestEntity next = start();
        assertThat(next.recovered()).isEqualTo(new Recovered(List.of(), 0));
        next.persist("e1").expectStored(1);
    }

    @Test
    void recovery_whenTheServerHasAFault_failsAndTheNextOneSucceeds() {
        started().persist("e1").expectStored(1);
        proxy.on(
                RequestMatch.operation("Query"),
                Fault.error(400, "AccessDeniedException", "User is not authorized to perform: dynamodb:Query"));
        TestEntity entity = start();
        assertThat(entity.expect(RecoveryFailed.class).reason())
                .isInstanceOf(StoreException.class)
                .hasMessageContainingAll("Query on table '" + table + "' was refused", "not authorized");
        entity.expectStopped();
        proxy.clear();
        assertThat(start().recovered().events()).containsExactly("e1");
    }

    @Test
    void recovery_whenAnEventCannotBeDeserialized_namesItAndItsSerializer() {
        started().persist("e1").expectStored(1);
        ActorSystem withoutSerializer = ActorSystem.create(
                "other-serializers", TestJournal.config(DynamoDBLocal.shared().endpoint(), table, """
                        pekko.actor.serializers.primitive-string = "io.varve.persistence.journal.SlowStringSerializer"
                        """));
        try {
            TestEntity entity = TestEntity.start(withoutSerializer, persistenceId);
            assertThat(entity.expect(RecoveryFailed.class).reason())
                    .isInstanceOf(VarveException.class)
                    .hasMessageContaining("Event 1 of '" + persistenceId + "' cannot be deserialized (serializer ");
        } finally {
            TestKit.shutdownActorSystem(withoutSerializer);
        }
    }

    @Test
    void persistenceIdWhoseKeyIsTooLong_failsWithItsLengthAndTheLimit() {
        String tooLong = "é".repeat(1_020);
        TestEntity entity = TestEntity.start(system, tooLong);
        assertThat(entity.expect(RecoveryFailed.class).reason())
                .isInstanceOf(KeyException.class)
                .hasMessageContainingAll("is too long", " bytes", "2048");
        entity.expectStopped();
    }

    @Test
    void persistenceIdOfTheLengthThatTheIndexOfEntitiesTakes_isStored() {
        String longId = persistenceId + "x".repeat(1_024 - persistenceId.length());
        TestEntity entity = TestEntity.start(system, longId);
        entity.recovered();
        entity.persist(events(1, 101).toArray()).expectStored(101);
        entity.stop();
        assertThat(TestEntity.recover(system, longId)).isEqualTo(events(1, 101));
    }
}
