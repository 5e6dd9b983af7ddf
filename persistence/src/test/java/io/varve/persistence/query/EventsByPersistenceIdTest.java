package io.varve.persistence.query;

import static io.varve.persistence.journal.TestEntity.events;
import static io.varve.persistence.journal.TestEntity.freshId;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.persistence.internal.plugin.Futures;
import io.varve.persistence.journal.JournalSystem;
import io.varve.persistence.journal.TestEntity;
import io.varve.persistence.journal.TestEntity.Options;
import io.varve.persistence.journal.TestJournal;
import io.varve.persistence.query.javadsl.DynamoDBReadJournal;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.testkit.DynamoDBLocal;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.NotUsed;
import org.apache.pekko.persistence.journal.Tagged;
import org.apache.pekko.persistence.query.EventEnvelope;
import org.apache.pekko.persistence.query.PersistenceQuery;
import org.apache.pekko.persistence.query.Sequence;
import org.apache.pekko.stream.javadsl.Source;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import scala.Option;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** The events of one entity, as they are and as they come. */
class EventsByPersistenceIdTest {
    @RegisterExtension
    static final JournalSystem JOURNAL = JournalSystem.of("by-persistence-id", """
                        dynamodb-read-journal.refresh-interval = 20 ms
                        adapted-journal = ${dynamodb-journal}
                        adapted-journal {
                          event-adapters.wrapping = "io.varve.persistence.journal.WrappingAdapter"
                          event-adapter-bindings."java.lang.String" = wrapping
                        }
                        adapted-read-journal = ${dynamodb-read-journal}
                        adapted-read-journal.write-plugin = adapted-journal
                        """);

    private static DynamoDBReadJournal journal;
    private static io.varve.persistence.query.scaladsl.DynamoDBReadJournal scala;

    private final String id = freshId();

    @BeforeAll
    static void start() {
        PersistenceQuery queries = PersistenceQuery.get(JOURNAL.system());
        journal = queries.getReadJournalFor(DynamoDBReadJournal.class, DynamoDBReadJournal.Identifier());
        scala = queries.readJournalFor(io.varve.persistence.query.scaladsl.DynamoDBReadJournal.Identifier());
    }

    private TestEntity started() {
        return started("");
    }

    private TestEntity started(String plugin) {
        TestEntity entity = TestEntity.start(JOURNAL.system(), Options.of(id).withJournal(plugin));
        entity.recovered();
        return entity;
    }

    private static List<Object> payloads(Source<EventEnvelope, NotUsed> source) {
        return RunningQuery.all(source, JOURNAL.system()).stream()
                .map(EventEnvelope::event)
                .toList();
    }

    private List<Object> current(long from, long to) {
        return payloads(journal.currentEventsByPersistenceId(id, from, to));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 9223372036854775807, 1, 5",
        "1, 9223372036854775807, 1, 5",
        "-7, 5, 1, 5",
        "1, 5, 1, 5",
        "2, 4, 2, 4",
        "5, 5, 5, 5",
        "5, 900, 5, 5",
    })
    void bounds_areInclusive(long from, long to, int first, int last) {
        started().persist(events(1, 5).toArray()).expectStored(5);
        assertThat(current(from, to)).isEqualTo(events(first, last));
    }

    @ParameterizedTest
    @CsvSource({"4, 3", "1, 0", "0, 0", "6, 9223372036854775807", "9223372036854775807, 9223372036854775807", "3, -1"})
    void rangeWithoutEvents_isEmpty(long from, long to) {
        started().persist(events(1, 5).toArray()).expectStored(5);
        assertThat(current(from, to)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"4, 3", "1, 0", "3, -1"})
    void liveRangeThatHoldsNoNumber_ends(long from, long to) {
        assertThat(payloads(journal.eventsByPersistenceId(id, from, to))).isEmpty();
    }

    @Test
    void envelope_hasTheNumberAsItsOffset_andTheTimeInMilliseconds() {
        started().persist("e1", "e2").expectStored(2);
        List<EventEnvelope> envelopes =
                RunningQuery.all(journal.currentEventsByPersistenceId(id, 1, Long.MAX_VALUE), JOURNAL.system());
        assertThat(envelopes).extracting(EventEnvelope::persistenceId).containsOnly(id);
        assertThat(envelopes).extracting(EventEnvelope::sequenceNr).containsExactly(1L, 2L);
        assertThat(envelopes).extracting(EventEnvelope::offset).containsExactly(new Sequence(1), new Sequence(2));
        assertThat(envelopes).allSatisfy(envelope -> {
            String micros = TestJournal.item(JOURNAL.table(), "journal", id, envelope.sequenceNr())
                    .number("ts");
            assertThat(envelope.timestamp()).isEqualTo(Long.parseLong(micros) / 1_000);
            assertThat(envelope.eventMetadata()).isEqualTo(Option.empty());
        });
    }

    @Test
    void unknownId_isEmpty_andLiveItWaits() {
        assertThat(current(0, Long.MAX_VALUE)).isEmpty();
        try (RunningQuery<EventEnvelope> live =
                RunningQuery.of(journal.eventsByPersistenceId(id, 0, Long.MAX_VALUE), JOURNAL.system())) {
            CompletionStage<Optional<EventEnvelope>> first = live.pull();
            started().persist("e1").expectStored(1);
            assertThat(RunningQuery.result(first))
                    .hasValueSatisfying(envelope -> assertThat(envelope.event()).isEqualTo("e1"));
        }
    }

    @Test
    void live_emitsWhatIsStoredLater_andEndsAfterTheLastNumber() {
        TestEntity entity = started();
        entity.persist("e1", "e2").expectStored(2);
        try (RunningQuery<EventEnvelope> live =
                RunningQuery.of(journal.eventsByPersistenceId(id, 2, 6), JOURNAL.system())) {
            assertThat(live.next().event()).isEqualTo("e2");
            entity.persist("e3").expectStored(1);
            assertThat(live.next().event()).isEqualTo("e3");
            entity.persistAll(events(4, 8)).expectStored(5);
            assertThat(live.next(3)).extracting(EventEnvelope::event).containsExactly("e4", "e5", "e6");
            live.expectEnd();
        }
    }

    @Test
    void live_whoseLastNumberWasRejected_endsWhenALaterOneIsThere() {
        TestEntity entity = started();
        entity.persist("e1").expectStored(1);
        try (RunningQuery<EventEnvelope> live =
                RunningQuery.of(journal.eventsByPersistenceId(id, 1, 2), JOURNAL.system())) {
            assertThat(live.next().event()).isEqualTo("e1");
            entity.persist(new Object()).expect(TestEntity.Rejected.class);
            entity.persist("e3").expectStored(1);
            live.expectEnd();
        }
    }

    @Test
    void moreEventsThanAGroupHolds_comeInOrder() {
        TestEntity entity = started();
        entity.persistAll(events(1, 250)).expectStored(250);
        try (RunningQuery<EventEnvelope> live =
                RunningQuery.of(journal.eventsByPersistenceId(id, 0, 260), JOURNAL.system())) {
            assertThat(live.next(250)).extracting(EventEnvelope::event).isEqualTo(events(1, 250));
            entity.persist(events(251, 260).toArray()).expectStored(10);
            assertThat(live.next(10)).extracting(EventEnvelope::event).isEqualTo(events(251, 260));
            live.expectEnd();
        }
        assertThat(current(0, Long.MAX_VALUE)).isEqualTo(events(1, 260));
        assertThat(current(99, 201)).isEqualTo(events(99, 201));
    }

    @Test
    void deletedEvents_areNotShown_andAreNotWaitedFor() {
        TestEntity entity = started();
        entity.persist(events(1, 6).toArray()).expectStored(6);
        entity.delete(4).expect(TestEntity.Deleted.class);
        assertThat(current(0, Long.MAX_VALUE)).isEqualTo(events(5, 6));
        assertThat(payloads(journal.eventsByPersistenceId(id, 1, 3))).isEmpty();
        entity.delete(6).expect(TestEntity.Deleted.class);
        assertThat(current(0, Long.MAX_VALUE)).isEmpty();
        try (RunningQuery<EventEnvelope> live =
                RunningQuery.of(journal.eventsByPersistenceId(id, 1, 7), JOURNAL.system())) {
            entity.persist("e7").expectStored(1);
            assertThat(live.next().event()).isEqualTo("e7");
            live.expectEnd();
        }
    }

    @Test
    void unfinishedAtomicWrite_isNotShown() {
        TestEntity entity = started();
        entity.persist("e1").expectStored(1);
        entity.persistAll(events(2, 150)).expectStored(149);
        entity.stop();
        remove(150);
        assertThat(current(0, Long.MAX_VALUE)).containsExactly("e1");
        try (RunningQuery<EventEnvelope> live =
                RunningQuery.of(journal.eventsByPersistenceId(id, 0, Long.MAX_VALUE), JOURNAL.system())) {
            assertThat(live.next().event()).isEqualTo("e1");
            started().persist("f2", "f3").expectStored(2); // the recovery removes what was not finished
            assertThat(live.next(2)).extracting(EventEnvelope::event).containsExactly("f2", "f3");
        }
    }

    private void remove(long number) {
        try (DynamoDbAsyncClient client = DynamoDBLocal.shared().client()) {
            client.deleteItem(delete ->
                            delete.tableName(JOURNAL.table()).key(new JournalKeys("journal").eventKey(id, number)))
                    .join();
        }
    }

    @Test
    void eventAdapter_makesNoneOneOrSeveralOfAnEvent() {
        started("adapted-journal").persist("one", "gone", "twice", "a#green").expectStored(4);
        DynamoDBReadJournal adapted = PersistenceQuery.get(JOURNAL.system())
                .getReadJournalFor(DynamoDBReadJournal.class, "adapted-read-journal");
        List<EventEnvelope> envelopes =
                RunningQuery.all(adapted.currentEventsByPersistenceId(id, 0, 9), JOURNAL.system());
        assertThat(envelopes)
                .extracting(EventEnvelope::event)
                .containsExactly(
                        "one of version 1", "twice of version 1", "twice of version 1", "a#green of version 1");
        assertThat(envelopes).extracting(EventEnvelope::sequenceNr).containsExactly(1L, 3L, 3L, 4L);
    }

    @Test
    void taggedEvent_comesWithoutItsTags() {
        started().persist(new Tagged("e1", Set.of("red"))).expectStored(1);
        assertThat(current(1, 1)).containsExactly("e1");
    }

    @Test
    void source_canBeRunAgain() {
        started().persist(events(1, 3).toArray()).expectStored(3);
        Source<EventEnvelope, NotUsed> current = journal.currentEventsByPersistenceId(id, 1, Long.MAX_VALUE);
        Source<EventEnvelope, NotUsed> live = journal.eventsByPersistenceId(id, 1, 3);
        for (int run = 0; run < 3; run++) {
            assertThat(payloads(current)).isEqualTo(events(1, 3));
            assertThat(payloads(live)).isEqualTo(events(1, 3));
        }
    }

    @Test
    void scaladsl_isTheSame() {
        started().persist(events(1, 3).toArray()).expectStored(3);
        assertThat(RunningQuery.all(scala.currentEventsByPersistenceId(id, 0, 9).asJava(), JOURNAL.system()))
                .isEqualTo(RunningQuery.all(journal.currentEventsByPersistenceId(id, 0, 9), JOURNAL.system()))
                .hasSize(3);
        assertThat(RunningQuery.all(scala.eventsByPersistenceId(id, 2, 3).asJava(), JOURNAL.system()))
                .isEqualTo(RunningQuery.all(journal.eventsByPersistenceId(id, 2, 3), JOURNAL.system()))
                .hasSize(2);
        assertThat(RunningQuery.result(Futures.toJava(scala.currentLastSequenceNumberByPersistenceId(id))))
                .isEqualTo(Option.apply(3L));
        assertThat(RunningQuery.result(Futures.toJava(scala.currentLastSequenceNumberByPersistenceId(freshId()))))
                .isEqualTo(Option.empty());
    }

    @Test
    void lastSequenceNumber_isEmptyForAnUnknownId_andStaysWhenEventsAreDeleted() {
        assertThat(RunningQuery.result(journal.currentLastSequenceNumberByPersistenceId(id)))
                .isEmpty();
        TestEntity entity = started();
        entity.persist(events(1, 3).toArray()).expectStored(3);
        assertThat(RunningQuery.result(journal.currentLastSequenceNumberByPersistenceId(id)))
                .contains(3L);
        entity.delete(3).expect(TestEntity.Deleted.class);
        assertThat(RunningQuery.result(journal.currentLastSequenceNumberByPersistenceId(id)))
                .contains(3L);
    }
}
