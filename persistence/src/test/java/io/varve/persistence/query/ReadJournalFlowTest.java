package io.varve.persistence.query;

import static io.varve.persistence.journal.TestEntity.events;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.varve.persistence.journal.LogCapture;
import io.varve.persistence.journal.TestEntity;
import io.varve.persistence.journal.TestEntity.Options;
import io.varve.persistence.journal.TestJournal;
import io.varve.persistence.query.javadsl.DynamoDBReadJournal;
import io.varve.store.VarveException;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.FaultRule;
import io.varve.testkit.RecordedRequest;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.ThrottleCode;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.persistence.journal.Tagged;
import org.apache.pekko.persistence.query.EventEnvelope;
import org.apache.pekko.persistence.query.NoOffset;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.PersistenceQuery;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Queries whose consumer is slow or gone, and queries whose requests fail. Only the queries use the proxy. */
class ReadJournalFlowTest {
    private static final Offset BEGINNING = NoOffset.getInstance();
    private static final int BACKLOG = 3_000;

    private static FaultProxy proxy;
    private static ActorSystem system;
    private static DynamoDBReadJournal journal;

    private final String type = "t" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        proxy = FaultProxy.start(DynamoDBLocal.shared().endpoint());
        system = ActorSystem.create(
                "flow", TestJournal.config(DynamoDBLocal.shared().endpoint(), TestJournal.createTable(), """
                        dynamodb-journal { slice-index.shards = 4, publish-events.enabled = off }
                        dynamodb-read-journal {
                          refresh-interval = 60 ms
                          persistence-ids.refresh-interval = 20 ms
                          client.local.port = %d
                        }
                        impatient = ${dynamodb-read-journal}
                        impatient { max-failures = 3, client.operation-timeout = 100 ms }
                        patient = ${impatient}, patient.max-failures = 1000
                        backlog-journal = ${dynamodb-journal}, backlog-journal.journal-name = backlog
                        backlog = ${dynamodb-read-journal}, backlog.write-plugin = backlog-journal
                        crowded-journal = ${dynamodb-journal}, crowded-journal.journal-name = crowded
                        crowded = ${dynamodb-read-journal}, crowded.write-plugin = crowded-journal
                        """.formatted(
                                proxy.endpoint().getPort())));
        journal = journal(DynamoDBReadJournal.Identifier());
    }

    @AfterAll
    static void stop() {
        TestKit.shutdownActorSystem(system);
        proxy.close();
    }

    @AfterEach
    void clear() {
        proxy.clear();
    }

    private static DynamoDBReadJournal journal(String section) {
        return PersistenceQuery.get(system).getReadJournalFor(DynamoDBReadJournal.class, section);
    }

    private static TestEntity started(String id) {
        return started(id, "");
    }

    private static TestEntity started(String id, String plugin) {
        TestEntity entity = TestEntity.start(system, Options.of(id).withJournal(plugin));
        entity.recovered();
        return entity;
    }

    private static Map<String, Supplier<Source<?, NotUsed>>> liveQueries(DynamoDBReadJournal from, String type) {
        return Map.of(
                "slices", () -> from.eventsBySlices(type, 0, 1023, BEGINNING),
                "slices-each", () -> from.eventsBySlices(type, 0, 1023, SliceOffsets.EMPTY),
                "tag", () -> from.eventsByTag(type, BEGINNING),
                "persistence-id", () -> from.eventsByPersistenceId(type + "|1", 1, Long.MAX_VALUE),
                "persistence-ids", () -> from.persistenceIds().filter(id -> id.startsWith(type)));
    }

    private static Source<?, NotUsed> live(DynamoDBReadJournal from, String type, String name) {
        return Objects.requireNonNull(liveQueries(from, type).get(name)).get();
    }

    /** Waits until the requests come to rest: as many as before, although a lot has been done meanwhile. */
    private static int atRest(IntSupplier count) {
        int[] last = {-1};
        await().atMost(TestEntity.PATIENCE).until(() -> {
            int before = last[0];
            for (int i = 0; i < 8; i++) {
                TestEntity.recover(system, "somebody else");
            }
            last[0] = count.getAsInt();
            return last[0] == before;
        });
        return last[0];
    }

    @ParameterizedTest
    @ValueSource(strings = {"slices", "slices-each", "tag", "persistence-id"})
    void slowConsumer_ofABigBacklog_readsOnlyAFewPagesAhead(String query) {
        DynamoDBReadJournal backlog = journal("backlog");
        if (RunningQuery.result(backlog.timestampOf("backlog|1", BACKLOG)).isEmpty()) {
            TestEntity entity = started("backlog|1", "backlog-journal");
            for (int first = 1; first < BACKLOG; first += 100) {
                entity.persistAll(events(first, first + 99).stream()
                                .map(text -> new Tagged(text, Set.of("backlog")))
                                .toList())
                        .expectStored(100);
            }
        }
        proxy.requests().clear();
        try (RunningQuery<?> live = RunningQuery.of(live(backlog, "backlog", query), system)) {
            live.next();
            int first = atRest(ReadJournalFlowTest::eventsRead);
            assertThat(first).isLessThan(2_000);
            live.next(100);
            assertThat(atRest(ReadJournalFlowTest::eventsRead)).isLessThanOrEqualTo(first + 400);
            live.next(BACKLOG - 101);
        }
    }

    private static int eventsRead() {
        return proxy.requests().requests().stream()
                .filter(request -> request.operation().equals("Query"))
                .mapToInt(RecordedRequest::items)
                .sum();
    }

    @ParameterizedTest
    @ValueSource(strings = {"slices", "slices-each", "tag", "persistence-id", "persistence-ids"})
    void cancelledQuery_sendsNoMoreRequests(String query) {
        started(type + "|1").persist(new Tagged("e1", Set.of(type)), "e2").expectStored(2);
        RunningQuery<?> live = RunningQuery.of(live(journal, type, query), system);
        live.next();
        int running = proxy.requests().size();
        await().until(() -> proxy.requests().size() > running + 5);
        live.close();
        atRest(() -> proxy.requests().size());
    }

    @ParameterizedTest
    @ValueSource(strings = {"slices", "slices-each", "tag", "persistence-id", "persistence-ids"})
    void liveQuery_outlivesRequestsThatFail(String query) {
        TestEntity entity = started(type + "|1");
        entity.persist(new Tagged("e1", Set.of(type))).expectStored(1);
        try (LogCapture warnings = LogCapture.of("io.varve", Level.WARN);
                RunningQuery<?> live = RunningQuery.of(live(journal("patient"), type, query), system)) {
            live.next();
            FaultRule throttled = proxy.on(
                    RequestMatch.any().chance(0.7), Fault.throttle(ThrottleCode.PROVISIONED_THROUGHPUT_EXCEEDED));
            await().until(() -> throttled.hits() > 20);
            FaultRule outage = proxy.on(RequestMatch.any(), Fault.internalServerError());
            throttled.remove();
            await().until(() -> outage.hits() > 5
                    && warnings.messages(Level.WARN).stream().anyMatch(text -> text.contains("will be tried again")));
            outage.remove();
            entity.persist(new Tagged("e2", Set.of(type))).expectStored(1);
            started(type + "|2").persist("e1").expectStored(1);
            live.next();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"slices", "slices-each", "tag", "persistence-id", "persistence-ids"})
    void liveQuery_outlivesFailuresAtItsStart(String query) {
        started(type + "|1").persist(new Tagged("e1", Set.of(type))).expectStored(1);
        try (LogCapture warnings = LogCapture.of("io.varve", Level.WARN)) {
            FaultRule outage = proxy.on(RequestMatch.any(), Fault.internalServerError());
            try (RunningQuery<?> live = RunningQuery.of(live(journal("patient"), type, query), system)) {
                var first = live.pull();
                await().until(() ->
                        warnings.messages(Level.WARN).stream().anyMatch(text -> text.contains("will be tried again")));
                outage.remove();
                assertThat(RunningQuery.result(first).isPresent()).isTrue();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"slices", "slices-each", "tag", "persistence-id", "persistence-ids"})
    void liveQuery_whoseRequestsGoOnFailing_failsAfterMaxFailures(String query) {
        started(type + "|1").persist(new Tagged("e1", Set.of(type))).expectStored(1);
        try (LogCapture expected = LogCapture.of("io.varve", Level.ERROR);
                RunningQuery<?> live = RunningQuery.of(live(journal("impatient"), type, query), system)) {
            live.next();
            proxy.on(RequestMatch.any(), Fault.internalServerError());
            assertThat(live.expectFailure())
                    .isInstanceOf(VarveException.class)
                    .hasMessageContainingAll("failed 3 times in a row", "max-failures");
        }
    }

    @Test
    void newTaggedType_whoseListCannotBeRead_isAskedForUntilItCan() {
        started(type + "|1").persist(new Tagged("e1", Set.of(type))).expectStored(1);
        try (LogCapture warnings = LogCapture.of("io.varve", Level.WARN);
                RunningQuery<EventEnvelope> live =
                        RunningQuery.of(journal("patient").eventsByTag(type, BEGINNING), system)) {
            assertThat(live.next().event()).isEqualTo("e1");
            FaultRule outage =
                    proxy.on(RequestMatch.operation("GetItem").keyPrefix("journal-META"), Fault.internalServerError());
            started(type + "new|1").persist(new Tagged("e2", Set.of(type))).expectStored(1);
            await().until(() ->
                    warnings.messages(Level.WARN).stream().anyMatch(text -> text.contains("which slices to query")));
            outage.remove();
            assertThat(live.next().event()).isEqualTo("e2");
        }
    }

    @Test
    void newTaggedTypes_thatAreMoreThanCanBeListed_failTheQuery() {
        started(type + "|1", "crowded-journal")
                .persist(new Tagged("e1", Set.of(type)))
                .expectStored(1);
        try (RunningQuery<EventEnvelope> live =
                RunningQuery.of(journal("crowded").eventsByTag(type, BEGINNING), system)) {
            live.next();
            started("x".repeat(300) + "|1", "crowded-journal")
                    .persist(new Tagged("e2", Set.of(type)))
                    .expectStored(1);
            assertThat(live.expectFailure())
                    .hasMessageContainingAll("cannot be queried by tag", "some events would be left out");
        }
    }

    @Test
    void queryOfAnEntity_thatIsCancelledWhileItWaits_sendsNothing() {
        List<RunningQuery<EventEnvelope>> waiting = List.of(
                RunningQuery.of(journal.eventsByPersistenceId(type, 1, 1), system),
                RunningQuery.of(journal.eventsByPersistenceId(type + "2", 1, 1), system));
        waiting.forEach(RunningQuery::pull);
        await().until(() -> proxy.requests().size() > 10);
        waiting.forEach(RunningQuery::close);
        atRest(() -> proxy.requests().size());
    }
}
