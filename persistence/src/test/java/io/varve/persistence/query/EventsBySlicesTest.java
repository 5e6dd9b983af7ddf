package io.varve.persistence.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValueFactory;
import io.varve.persistence.internal.plugin.Futures;
import io.varve.persistence.journal.JournalSystem;
import io.varve.persistence.journal.TestEntity;
import io.varve.persistence.journal.TestEntity.Options;
import io.varve.persistence.journal.TestJournal;
import io.varve.persistence.query.javadsl.DynamoDBReadJournal;
import io.varve.store.Slices;
import io.varve.store.internal.layout.Microseconds;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.japi.Pair;
import org.apache.pekko.persistence.AtomicWrite;
import org.apache.pekko.persistence.JournalProtocol;
import org.apache.pekko.persistence.Persistence;
import org.apache.pekko.persistence.PersistentEnvelope;
import org.apache.pekko.persistence.PersistentRepr;
import org.apache.pekko.persistence.journal.Tagged;
import org.apache.pekko.persistence.query.NoOffset;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.PersistenceQuery;
import org.apache.pekko.persistence.query.TimestampOffset;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/** The events of slices, as they are and as they come, and single events. */
class EventsBySlicesTest {
    @RegisterExtension
    static final JournalSystem JOURNAL = JournalSystem.of("by-slices", """
                        dynamodb-journal.slice-index.shards = 8
                        dynamodb-read-journal.refresh-interval = 50 ms
                        second-journal = ${dynamodb-journal}
                        second-journal { journal-name = "journal-second", slice-index.shards = 4 }
                        second-read-journal = ${dynamodb-read-journal}
                        second-read-journal.write-plugin = second-journal
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

    private final String type = "t" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        journal = journal(DynamoDBReadJournal.Identifier());
        scala = PersistenceQuery.get(JOURNAL.system())
                .readJournalFor(io.varve.persistence.query.scaladsl.DynamoDBReadJournal.Identifier());
    }

    private static DynamoDBReadJournal journal(String section) {
        return PersistenceQuery.get(JOURNAL.system()).getReadJournalFor(DynamoDBReadJournal.class, section);
    }

    private TestEntity started(String id) {
        return started(id, "");
    }

    private TestEntity started(String id, String plugin) {
        TestEntity entity = TestEntity.start(JOURNAL.system(), Options.of(id).withJournal(plugin));
        entity.recovered();
        return entity;
    }

    private List<EventEnvelope<String>> current(DynamoDBReadJournal from, Offset offset) {
        return RunningQuery.all(from.<String>currentEventsBySlices(type, 0, 1023, offset), JOURNAL.system());
    }

    private List<EventEnvelope<String>> current(Offset offset) {
        return current(journal, offset);
    }

    private static List<String> texts(List<EventEnvelope<String>> envelopes) {
        return envelopes.stream().map(EventEnvelope::getEvent).toList();
    }

    @Test
    void envelope_hasAllThatPekkoHasAPlaceFor() {
        String id = type + "|1";
        started(id).persist("e1").expectStored(1);
        EventEnvelope<String> envelope = current(NoOffset.getInstance()).get(0);
        long micros = Long.parseLong(
                TestJournal.item(JOURNAL.table(), "journal", id, 1).number("ts"));
        assertThat(envelope.persistenceId()).isEqualTo(id);
        assertThat(envelope.sequenceNr()).isEqualTo(1);
        assertThat(envelope.getEvent()).isEqualTo("e1");
        assertThat(envelope.timestamp()).isEqualTo(micros / 1_000);
        assertThat(envelope.entityType()).isEqualTo(type);
        assertThat(envelope.slice())
                .isEqualTo(Persistence.get(JOURNAL.system()).sliceForPersistenceId(id))
                .isEqualTo(journal.sliceForPersistenceId(id));
        assertThat(envelope.getEventMetaData()).isEmpty();
        TimestampOffset offset = (TimestampOffset) envelope.offset();
        assertThat(Microseconds.of(offset.timestamp())).isEqualTo(micros);
        assertThat(offset.getSeen()).isEqualTo(Map.of(id, 1L));
    }

    @Test
    void tagsAndMetadata_areInEventMetadata() {
        started(type + "|1")
                .persist(new Tagged("classic", Set.of("red", "green")))
                .expectStored(1);
        TypedTexts.persist(JOURNAL.system(), type, "2", "typed#blue", "typed");
        write(PersistentRepr.apply("replicated", 1, type + "|3", "", false, ActorRef.noSender(), "writer")
                .withMetadata("who it was"));
        List<EventEnvelope<String>> envelopes = current(NoOffset.getInstance());
        assertThat(envelopes)
                .extracting(EventEnvelope::getEvent, EventMetadata::of)
                .containsExactly(
                        tuple("classic", new EventMetadata(Optional.empty(), Set.of("red", "green"))),
                        tuple("typed#blue", new EventMetadata(Optional.empty(), Set.of("blue"))),
                        tuple("typed", new EventMetadata(Optional.empty(), Set.of())),
                        tuple("replicated", new EventMetadata(Optional.of("who it was"), Set.of())));
        assertThat(envelopes.get(2).getEventMetaData())
                .as("neither tags nor metadata")
                .isEmpty();
        assertThat(EventMetadata.of(RunningQuery.result(journal.loadEnvelope(type + "|1", 1)))
                        .tags())
                .containsExactlyInAnyOrder("red", "green");
    }

    private static void write(PersistentRepr repr) {
        TestKit writer = new TestKit(JOURNAL.system());
        Persistence.get(JOURNAL.system())
                .journalFor("", ConfigFactory.empty())
                .tell(
                        new JournalProtocol.WriteMessages(
                                CollectionConverters.asScala(List.<PersistentEnvelope>of(AtomicWrite.apply(repr)))
                                        .toList(),
                                writer.getRef(),
                                1),
                        writer.getRef());
        writer.expectMsg(TestEntity.PATIENCE, JournalProtocol.WriteMessagesSuccessful$.MODULE$);
    }

    @Test
    void sliceRanges_divideTheEvents() {
        List<String> ids = IntStream.range(0, 12).mapToObj(i -> type + "|" + i).toList();
        ids.forEach(id -> started(id).persist(id).expectStored(1));
        List<String> found = new ArrayList<>();
        for (Pair<Integer, Integer> range : journal.sliceRanges(4)) {
            List<EventEnvelope<String>> part = RunningQuery.all(
                    journal.currentEventsBySlices(type, range.first(), range.second(), NoOffset.getInstance()),
                    JOURNAL.system());
            assertThat(part)
                    .allSatisfy(envelope -> assertThat(envelope.slice()).isBetween(range.first(), range.second()));
            found.addAll(texts(part));
        }
        assertThat(found).containsExactlyInAnyOrderElementsOf(ids);
        for (String id : ids) {
            int slice = Slices.of(id);
            assertThat(texts(RunningQuery.all(
                            journal.currentEventsBySlices(type, slice, slice, NoOffset.getInstance()),
                            JOURNAL.system())))
                    .contains(id);
        }
        assertThat(scala.sliceRanges(4).size()).isEqualTo(4);
        assertThat(scala.sliceForPersistenceId(ids.get(0))).isEqualTo(Slices.of(ids.get(0)));
    }

    @Test
    void entityTypesAndJournalNamesInOneTable_areKeptApart() {
        DynamoDBReadJournal second = journal("second-read-journal");
        String other = type + "-0";
        started(type + "|1").persist("a").expectStored(1);
        started(other + "|1").persist("b").expectStored(1);
        started(type).persist("without a type").expectStored(1);
        started(type + "|1", "second-journal").persist("c").expectStored(1);
        assertThat(texts(current(NoOffset.getInstance()))).containsExactly("a");
        assertThat(texts(current(second, NoOffset.getInstance()))).containsExactly("c");
        assertThat(texts(RunningQuery.all(
                        journal.currentEventsBySlices(other, 0, 1023, NoOffset.getInstance()), JOURNAL.system())))
                .containsExactly("b");
        assertThat(texts(RunningQuery.all(
                        journal.currentEventsBySlices("", 0, 1023, NoOffset.getInstance()), JOURNAL.system())))
                .contains("without a type")
                .doesNotContain("a", "b", "c");
        assertThat(RunningQuery.all(
                        journal.currentEventsBySlices("nobody", 0, 1023, NoOffset.getInstance()), JOURNAL.system()))
                .isEmpty();
        try (RunningQuery<EventEnvelope<String>> live = RunningQuery.of(
                second.<String>eventsBySlices(type, 0, 1023, NoOffset.getInstance()), JOURNAL.system())) {
            assertThat(live.next().getEvent()).isEqualTo("c");
            started(type + "|2").persist("not here").expectStored(1);
            started(type + "|2", "second-journal").persist("d").expectStored(1);
            assertThat(live.next().getEvent()).isEqualTo("d");
        }
    }

    @Test
    void resumed_fromTheOffsetOfEachEvent_missesNothing() {
        List<TestEntity> entities =
                IntStream.range(0, 4).mapToObj(i -> started(type + "|" + i)).toList();
        for (int round = 0; round < 5; round++) {
            int now = round;
            entities.forEach(entity -> entity.persist("e" + now).expectStored(1));
        }
        List<EventEnvelope<String>> all = current(NoOffset.getInstance());
        assertThat(all).hasSize(20);
        SliceOffsets slices = SliceOffsets.EMPTY;
        for (int i = 0; i < all.size(); i++) {
            slices = slices.plus(all.get(i));
            List<EventEnvelope<String>> rest = all.subList(i + 1, all.size());
            assertThat(keys(current(all.get(i).offset())))
                    .containsAll(keys(rest))
                    .doesNotContain(key(all.get(i)));
            assertThat(keys(current(slices))).containsAll(keys(rest)).doesNotContain(key(all.get(i)));
        }
        assertThat(current(slices)).as("all have been seen").isEmpty();
        try (RunningQuery<EventEnvelope<String>> live =
                RunningQuery.of(journal.<String>eventsBySlices(type, 0, 1023, slices), JOURNAL.system())) {
            entities.get(2).persist("next").expectStored(1);
            EventEnvelope<String> next = live.next();
            assertThat(next.getEvent()).isEqualTo("next");
            assertThat(slices.plus(next)).isNotEqualTo(slices);
        }
    }

    private static List<String> keys(List<EventEnvelope<String>> envelopes) {
        return envelopes.stream().map(EventsBySlicesTest::key).toList();
    }

    private static String key(EventEnvelope<?> envelope) {
        return envelope.persistenceId() + " " + envelope.sequenceNr();
    }

    @Test
    void offsetInTheFuture_isEmpty() {
        started(type + "|1").persist("e1").expectStored(1);
        Offset future = SliceOffsets.timestampOffset(Instant.now().plusSeconds(86_400), Instant.now(), Map.of());
        assertThat(current(future)).isEmpty();
    }

    @Test
    void live_emitsWhatIsStoredLater_inAnyRun() {
        Source<EventEnvelope<String>, NotUsed> source = journal.eventsBySlices(type, 0, 1023, NoOffset.getInstance());
        TestEntity entity = started(type + "|1");
        entity.persist("e1", "e2").expectStored(2);
        try (RunningQuery<EventEnvelope<String>> one = RunningQuery.of(source, JOURNAL.system());
                RunningQuery<EventEnvelope<String>> two = RunningQuery.of(source, JOURNAL.system())) {
            assertThat(texts(one.next(2))).containsExactly("e1", "e2");
            entity.persist("e3").expectStored(1);
            assertThat(texts(two.next(3))).containsExactly("e1", "e2", "e3");
            assertThat(one.next().getEvent()).isEqualTo("e3");
        }
    }

    @Test
    void eventAdapter_makesNoneOneOrSeveralOfAnEvent() {
        started(type + "|1", "adapted-journal")
                .persist("one", "gone", "twice", "a#green")
                .expectStored(4);
        DynamoDBReadJournal adapted = journal("adapted-read-journal");
        assertThat(texts(current(adapted, NoOffset.getInstance())))
                .containsExactly(
                        "one of version 1", "twice of version 1", "twice of version 1", "a#green of version 1");
        assertThat(RunningQuery.result(adapted.<String>loadEnvelope(type + "|1", 3))
                        .getEvent())
                .isEqualTo("twice of version 1");
        assertThat(RunningQuery.failure(adapted.loadEnvelope(type + "|1", 2)))
                .isInstanceOf(NoSuchElementException.class)
                .hasMessageContainingAll("Event 2 of '" + type + "|1'", "adapter");
    }

    @Test
    void sectionGivenAtRunTime_hasItsOwnTable() {
        String tenantTable = TestJournal.createTable();
        Config tenant = ConfigFactory.empty()
                .withValue(
                        "tenant.journal", JOURNAL.system().settings().config().getValue("dynamodb-journal"))
                .withValue("tenant.journal.journal-table", ConfigValueFactory.fromAnyRef(tenantTable))
                .withValue(
                        "tenant.queries", JOURNAL.system().settings().config().getValue("dynamodb-read-journal"))
                .withValue("tenant.queries.journal-table", ConfigValueFactory.fromAnyRef(tenantTable));
        TestEntity entity = TestEntity.start(
                JOURNAL.system(),
                Options.of(type + "|1").withJournal("tenant.journal").withRuntimeConfig(tenant));
        entity.recovered();
        entity.persist("tenant's").expectStored(1);
        DynamoDBReadJournal queries = PersistenceQuery.get(JOURNAL.system())
                .getReadJournalFor(DynamoDBReadJournal.class, "tenant.queries", tenant);
        assertThat(texts(current(queries, NoOffset.getInstance()))).containsExactly("tenant's");
        assertThat(current(NoOffset.getInstance())).isEmpty();
    }

    @Test
    void timestampOfAndLoadEnvelope_findOneEvent() {
        String id = type + "|1";
        started(id).persist("e1", "e2").expectStored(2);
        EventEnvelope<String> second = current(NoOffset.getInstance()).get(1);
        assertThat(RunningQuery.result(journal.timestampOf(id, 2)))
                .contains(((TimestampOffset) second.offset()).timestamp());
        EventEnvelope<String> loaded = RunningQuery.result(journal.loadEnvelope(id, 2));
        assertThat(loaded.getEvent()).isEqualTo("e2");
        assertThat(loaded.slice()).isEqualTo(second.slice());
        assertThat(((TimestampOffset) loaded.offset()).timestamp())
                .isEqualTo(((TimestampOffset) second.offset()).timestamp());
        for (long missing : List.of(3L, 0L, -1L, Long.MAX_VALUE)) {
            assertThat(RunningQuery.result(journal.timestampOf(id, missing))).isEmpty();
            assertThat(RunningQuery.failure(journal.loadEnvelope(id, missing)))
                    .isInstanceOf(NoSuchElementException.class)
                    .hasMessage("Event " + missing + " of '" + id + "' does not exist.");
        }
        assertThat(RunningQuery.failure(Futures.toJava(scala.loadEnvelope(id, 3))))
                .isInstanceOf(NoSuchElementException.class);
    }

    @Test
    void scaladsl_isTheSame() {
        String id = type + "|1";
        started(id).persist("e1", "e2").expectStored(2);
        List<EventEnvelope<String>> expected = current(NoOffset.getInstance());
        assertThat(keys(RunningQuery.all(
                        scala.<String>currentEventsBySlices(type, 0, 1023, NoOffset.getInstance())
                                .asJava(),
                        JOURNAL.system())))
                .isEqualTo(keys(expected));
        try (RunningQuery<EventEnvelope<String>> live = RunningQuery.of(
                scala.<String>eventsBySlices(type, 0, 1023, NoOffset.getInstance())
                        .asJava(),
                JOURNAL.system())) {
            assertThat(keys(live.next(2))).isEqualTo(keys(expected));
        }
        assertThat(RunningQuery.result(Futures.toJava(scala.timestampOf(id, 1))))
                .isEqualTo(Option.apply(((TimestampOffset) expected.get(0).offset()).timestamp()));
        assertThat(RunningQuery.result(Futures.toJava(scala.<String>loadEnvelope(id, 2)))
                        .event())
                .isEqualTo("e2");
    }
}
