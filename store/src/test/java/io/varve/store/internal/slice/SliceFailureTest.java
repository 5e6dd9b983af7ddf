package io.varve.store.internal.slice;

import static io.varve.store.internal.slice.TestJournal.event;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.ItemException;
import io.varve.store.StoreException;
import io.varve.store.TableException;
import io.varve.store.TableMissingException;
import io.varve.store.ThrottledException;
import io.varve.store.VarveException;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.FaultRule;
import io.varve.testkit.Gate;
import io.varve.testkit.PredecessorTables;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.TableNames;
import io.varve.testkit.ThrottleCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Failures that pass are waited out, others are told at once, and the end is the end. The gateway does not retry here. */
@DynamoDBTest
class SliceFailureTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final RequestMatch INDEX = RequestMatch.operation("Query").index("slice-idx");
    private static final RequestMatch LOOKUPS = RequestMatch.operation("BatchGetItem");

    private final FaultProxy proxy;
    private final DynamoDbAsyncClient direct;
    private final TestJournal journal;

    SliceFailureTest(DynamoDbAsyncClient direct, FaultProxy proxy, TableNames names) {
        this.proxy = proxy;
        this.direct = direct;
        this.journal = new TestJournal(direct, proxy, names.journal(), 1);
    }

    @AfterEach
    void close() {
        journal.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void requestThatFails_isTriedAgainWithGrowingPauses_andNothingIsLost(boolean throttled) {
        Event first = event("cart|1", 1, journal.at(Duration.ofHours(-1)));
        Event second = event("cart|1", 2, journal.at(Duration.ofSeconds(-1)));
        journal.put(first, second);
        FaultRule fault = proxy.on(
                INDEX,
                throttled ? Fault.throttle(ThrottleCode.PROVISIONED_THROUGHPUT_EXCEEDED) : Fault.internalServerError());
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.defaults())) {
            List<Long> pauses = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                assertThat(query.take()).isEmpty();
                Duration pause = query.query().untilNextStep().orElseThrow();
                pauses.add(pause.toSeconds());
                journal.clock().advance(pause);
            }
            assertThat(pauses).containsExactly(3L, 6L, 12L, 24L, 48L, 96L, 96L, 96L);
            assertThat(fault.hits()).isEqualTo(8);
            fault.remove();
            assertThat(query.take()).containsExactly(first, second);
            assertThat(query.failure()).isEmpty();
            assertThat(query.query().untilNextStep()).hasValue(Duration.ofMillis(375));
        }
    }

    @Test
    void eventWhoseNumberContradictsItsKey_failsTheQuery() {
        Event event = event("cart|1", 2, journal.at(Duration.ofMinutes(-1)));
        journal.put(event);
        direct.updateItem(update -> update.tableName(journal.table())
                        .key(new JournalKeys("journal").eventKey("cart|1", 2))
                        .updateExpression("SET seq = :other")
                        .expressionAttributeValues(Map.of(":other", AttributeValue.fromN("102"))))
                .join();
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.defaults())) {
            assertThat(query.take()).isEmpty();
            assertThat(query.failure().orElseThrow())
                    .isInstanceOf(ItemException.class)
                    .hasMessage("The item (par = journal-P-cart|1-0, num = 2, seq = 102) of table '" + journal.table()
                            + "' is not as it should be: 'seq' contradicts the number of 'par' and 'num', which is 2."
                            + " Another program may have written to this table.");
        }
    }

    @Test
    void failuresInARow_failTheQuery() {
        proxy.on(INDEX, Fault.throttle(ThrottleCode.PROVISIONED_THROUGHPUT_EXCEEDED));
        try (TestSliceQuery query =
                TestSliceQuery.live(journal, TestSettings.defaults().maxFailures(4))) {
            query.takeDuring(Duration.ofSeconds(20));
            assertThat(query.failure()).isEmpty();
            query.takeDuring(Duration.ofSeconds(2));
            assertThat(query.failure().orElseThrow())
                    .isInstanceOf(VarveException.class)
                    .hasMessage("The query of shard 0 of entity type 'cart' failed 4 times in a row (max-failures).")
                    .hasCauseInstanceOf(ThrottledException.class);
            assertThat(proxy.requests().size()).isEqualTo(4);
            query.takeDuring(Duration.ofHours(1));
            assertThat(proxy.requests().size()).isEqualTo(4);
            assertThat(query.query().untilNextStep()).isEmpty();
        }
    }

    @Test
    void failuresBetweenSuccesses_doNotAddUp() {
        try (TestSliceQuery query =
                TestSliceQuery.live(journal, TestSettings.defaults().maxFailures(2))) {
            for (int i = 0; i < 5; i++) {
                FaultRule fault = proxy.on(INDEX.times(1), Fault.internalServerError());
                query.takeDuring(Duration.ofSeconds(10));
                assertThat(fault.hits()).isEqualTo(1);
                assertThat(query.failure()).isEmpty();
            }
        }
    }

    @Test
    void lookupThatFailsAgainAndAgain_failsTheQuery_whateverTheOtherPassesDo() {
        Event known = event("cart|2", 1, journal.at(SECOND));
        journal.put(known);
        try (TestSliceQuery query =
                TestSliceQuery.live(journal, TestSettings.defaults().maxFailures(4))) {
            assertThat(query.takeDuring(Duration.ofSeconds(6))).containsExactly(known);
            proxy.on(LOOKUPS, Fault.internalServerError());
            journal.put(event("cart|1", 7, journal.at(SECOND)));
            assertThat(query.takeDuring(Duration.ofSeconds(40))).isEmpty();
            assertThat(query.failure()).isPresent();
            assertThat(query.failure().orElseThrow()).hasCauseInstanceOf(StoreException.class);
        }
    }

    @Test
    void lookupThatFails_isTriedAgain_andNothingIsLost() {
        FaultRule fault = proxy.on(LOOKUPS.times(2), Fault.internalServerError());
        Event event = event("cart|1", 7, journal.at(SECOND));
        journal.put(event);
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.defaults())) {
            assertThat(query.takeDuring(Duration.ofSeconds(20))).containsExactly(event);
            assertThat(fault.hits()).isEqualTo(2);
        }
    }

    @Test
    void trailThatFails_isTriedAgain_andFindsWhatIsLate() {
        Event late = event("cart|1", 1, journal.at(SECOND));
        Event other = event("cart|2", 1, journal.at(SECOND) + 1);
        journal.put(late, other);
        journal.hide(late);
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.defaults())) {
            assertThat(query.takeDuring(Duration.ofSeconds(9))).containsExactly(other);
            journal.show(late);
            proxy.clear();
            proxy.on(INDEX, Fault.internalServerError());
            assertThat(query.takeDuring(Duration.ofSeconds(40))).isEmpty();
            proxy.clear();
            assertThat(query.takeDuring(Duration.ofSeconds(40))).containsExactly(late);
        }
    }

    @Test
    void missingTable_failsAtOnce_andSaysWhatToDo() {
        direct.deleteTable(r -> r.tableName(journal.table())).join();
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.defaults())) {
            query.take();
            assertThat(query.failure().orElseThrow())
                    .isInstanceOf(TableMissingException.class)
                    .hasMessageContaining(journal.table())
                    .hasMessageContaining("VarveTables");
        }
        assertThat(proxy.requests().size()).isEqualTo(1);
    }

    @Test
    void missingIndex_failsAtOnce_andSaysWhatToDo() {
        direct.deleteTable(r -> r.tableName(journal.table())).join();
        PredecessorTables.createJournal(direct, journal.table());
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.defaults())) {
            query.take();
            assertThat(query.failure().orElseThrow())
                    .isInstanceOf(TableException.class)
                    .hasMessageContaining("has no index 'slice-idx'")
                    .hasMessageContaining("docs/guide/tables.md");
        }
        assertThat(proxy.requests().size()).isEqualTo(1);
    }

    @Test
    void close_endsAllRequests_alsoThoseThatTheAnswersUnderWayWouldCause() {
        journal.put(event("cart|1", 7, journal.at(Duration.ofSeconds(-1))));
        Gate gate = proxy.hold(INDEX);
        TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.defaults());
        gate.awaitArrival();
        query.close();
        gate.releaseAll();
        query.waitForTask();
        assertThat(query.query().poll()).isNull();
        assertThat(query.takeDuring(Duration.ofMinutes(1))).isEmpty();
        query.query().published(List.of(event("cart|1", 8, journal.at(Duration.ZERO))));
        query.query().proceed();
        assertThat(query.query().untilNextStep()).isEmpty();
        assertThat(journal.requests()).containsExactly("Query[slice-idx]");
    }

    @Test
    void close_betweenLookups_sendsNoMoreOfThem() {
        List<Event> stored = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            stored.add(event("cart|" + i, 7, journal.at(Duration.ofSeconds(-1))));
        }
        journal.put(stored);
        Gate gate = proxy.hold(
                RequestMatch.operation("Query").where(request -> request.index().isEmpty()));
        TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.defaults());
        query.runUntil(() -> gate.arrivals() > 0);
        query.close();
        gate.releaseAll();
        query.waitForTask();
        assertThat(journal.requests()).containsExactly("Query[slice-idx]", "BatchGetItem(5)", "Query");
    }
}
