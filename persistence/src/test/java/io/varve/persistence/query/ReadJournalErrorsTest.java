package io.varve.persistence.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import io.varve.persistence.internal.query.Queries;
import io.varve.persistence.journal.LogCapture;
import io.varve.persistence.journal.TestEntity;
import io.varve.persistence.journal.TestEntity.Options;
import io.varve.persistence.journal.TestJournal;
import io.varve.persistence.query.javadsl.DynamoDBReadJournal;
import io.varve.store.KeyException;
import io.varve.store.SettingsException;
import io.varve.store.TableException;
import io.varve.store.TableMissingException;
import io.varve.store.VarveException;
import io.varve.store.internal.async.Causes;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.TableNames;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.persistence.journal.Tagged;
import org.apache.pekko.persistence.query.NoOffset;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.PersistenceQuery;
import org.apache.pekko.persistence.query.Sequence;
import org.apache.pekko.persistence.query.TimeBasedUUID;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import software.amazon.awssdk.services.dynamodb.model.KeyType;

/**
 * What cannot work is refused in words that help: a wrong argument or setting at the call, what only the table can tell by the
 * stream.
 */
class ReadJournalErrorsTest {
    private static final String MISSING = TableNames.fresh().journal();
    private static final Offset BEGINNING = NoOffset.getInstance();

    private static ActorSystem system;
    private static DynamoDBReadJournal journal;

    private final String type = "t" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        String withoutIndex = TestJournal.createPredecessorTable();
        String keyless = TestJournal.createTable(TestJournal.key("key", KeyType.HASH));
        system = ActorSystem.create(
                "errors",
                TestJournal.config(DynamoDBLocal.shared().endpoint(), TestJournal.createTable(), """
                        r = ${dynamodb-read-journal}
                        missing = ${r}, missing.journal-table = "%s"
                        without-index = ${r}, without-index.journal-table = "%s"
                        without-index-journal = ${dynamodb-journal}, without-index-journal.journal-table = "%s"
                        keyless = ${r}, keyless.journal-table = "%s"
                        off-journal = ${dynamodb-journal}, off-journal.slice-index.enabled = off
                        off = ${r}, off.write-plugin = off-journal
                        other-shards = ${r}, other-shards.slice-index.shards = 128

                        slow-journal = ${dynamodb-journal}, slow-journal.client.operation-timeout = 30 s
                        slow-writer = ${r}, slow-writer.write-plugin = slow-journal
                        slow-writer.backtracking.behind-current-time = 8900 ms
                        slow-writer-and-backtracking = ${slow-writer}
                        slow-writer-and-backtracking.backtracking.behind-current-time = 9 s
                        slow-breaker-journal = ${slow-journal}, slow-breaker-journal.circuit-breaker.call-timeout = 40 s
                        slow-writer-and-breaker = ${r}, slow-writer-and-breaker.write-plugin = slow-breaker-journal

                        no-journal = ${r}, no-journal.write-plugin = "my-journal"
                        empty-journal = ${r}, empty-journal.write-plugin = ""
                        misspelt = ${r}, misspelt.page-sice = 3
                        misspelt-2 = ${r}, misspelt-2.backtracking.windw = 3 s
                        misspelt-3 = ${r}, misspelt-3.persistence-ids.sorce = scan
                        misspelt-4 = ${r}, misspelt-4.events-by-tag.types = []
                        misspelt-5 = ${r}, misspelt-5.sweep.intervall = off
                        bad-1 = ${r}, bad-1.page-size = 0
                        bad-2 = ${r}, bad-2.refresh-interval = 0 s
                        bad-3 = ${r}, bad-3.parallelism = 0
                        bad-4 = ${r}, bad-4.max-failures = many
                        bad-5 = ${r}, bad-5.behind-current-time = -1 s
                        bad-6 = ${r}, bad-6.backtracking.behind-current-time = 10 ms
                        bad-7 = ${r}, bad-7.backtracking.window = 1 s
                        bad-8 = ${r}, bad-8.sweep.window = 1 s
                        bad-9 = ${r}, bad-9.sweep.interval = never
                        bad-10 = ${r}, bad-10.remembered-entities = 1
                        bad-11 = ${r}, bad-11.persistence-ids.source = table
                        bad-12 = ${r}, bad-12.persistence-ids.scan-segments = 0
                        bad-13 = ${r}, bad-13.persistence-ids.refresh-interval = 0 s
                        bad-14 = ${r}, bad-14.persistence-ids-index-name = ""
                        bad-15 = ${r}, bad-15.events-by-tag.entity-types = cart
                        bad-16 = ${r}, bad-16.publish-events.number-of-topics = 3
                        bad-17 = ${r}, bad-17.journal-table = "no table name!"
                        bad-18 = ${r}, bad-18.use-client = "my.client"

                        broken-journal = ${dynamodb-journal}
                        broken-journal {
                          event-adapters.broken = "io.varve.persistence.query.BrokenAdapter"
                          event-adapter-bindings."java.lang.String" = broken
                        }
                        broken-adapter = ${r}, broken-adapter.write-plugin = broken-journal
                        pekko.actor.serializers.unreadable = "io.varve.persistence.query.UnreadableSerializer"
                        pekko.actor.serialization-bindings {
                          "io.varve.persistence.query.UnreadableSerializer$Unreadable" = unreadable
                        }
                        """.formatted(
                                MISSING, withoutIndex, withoutIndex, keyless)));
        journal = journal(DynamoDBReadJournal.Identifier());
    }

    @AfterAll
    static void stop() {
        TestKit.shutdownActorSystem(system);
    }

    private static DynamoDBReadJournal journal(String section) {
        return PersistenceQuery.get(system).getReadJournalFor(DynamoDBReadJournal.class, section);
    }

    private static void persist(String plugin, String id, Object... events) {
        TestEntity entity = TestEntity.start(system, Options.of(id).withJournal(plugin));
        entity.recovered();
        entity.persist(events).expectStored(events.length);
        entity.stop();
    }

    static List<Offset> foreignOffsets() {
        return List.of(new Sequence(3), new TimeBasedUUID(UUID.fromString("49225740-2019-11ea-a752-ffae2393b6e4")));
    }

    @ParameterizedTest
    @MethodSource("foreignOffsets")
    void offsetOfAnotherKind_isRefusedAtTheCall(Offset offset) {
        for (Runnable call : List.<Runnable>of(
                () -> journal.eventsBySlices(type, 0, 1023, offset),
                () -> journal.currentEventsBySlices(type, 0, 1023, offset),
                () -> journal.eventsByTag("red", offset),
                () -> journal.currentEventsByTag("red", offset))) {
            assertThatThrownBy(call::run)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContainingAll(
                            offset.getClass().getName(), "TimestampOffset", "SliceOffsets", "NoOffset");
        }
    }

    @ParameterizedTest
    @CsvSource({"-1, 3", "0, 1024", "5, 4"})
    void rangeThatDoesNotExist_isRefusedAtTheCall(int min, int max) {
        assertThatThrownBy(() -> journal.eventsBySlices(type, min, max, BEGINNING))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll(min + ".." + max, "0..1023", "sliceRanges(n)");
        assertThatThrownBy(() -> journal.currentEventsBySlices(type, min, max, BEGINNING))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void persistenceIdThatCannotBeStored_isRefusedAtTheCall_orByTheStage() {
        for (String id : List.of("", "x".repeat(2_048))) {
            assertThatThrownBy(() -> journal.eventsByPersistenceId(id, 0, 1)).isInstanceOf(KeyException.class);
            assertThatThrownBy(() -> journal.currentEventsByPersistenceId(id, 0, 1))
                    .isInstanceOf(KeyException.class);
            assertThat(RunningQuery.failure(journal.currentLastSequenceNumberByPersistenceId(id)))
                    .isInstanceOf(KeyException.class);
            assertThat(RunningQuery.failure(journal.timestampOf(id, 1))).isInstanceOf(KeyException.class);
            assertThat(RunningQuery.failure(journal.loadEnvelope(id, 1))).isInstanceOf(KeyException.class);
        }
    }

    @Test
    void sliceIndexThatIsSwitchedOff_isRefusedAtTheCall() {
        DynamoDBReadJournal off = journal("off");
        for (Runnable call : List.<Runnable>of(
                () -> off.eventsBySlices(type, 0, 1023, BEGINNING),
                () -> off.currentEventsBySlices(type, 0, 1023, BEGINNING),
                () -> off.eventsByTag("red", BEGINNING),
                () -> off.currentEventsByTag("red", BEGINNING))) {
            assertThatThrownBy(call::run)
                    .isInstanceOf(SettingsException.class)
                    .hasMessageContainingAll("off-journal.slice-index.enabled", "set it to on");
        }
        assertThat(RunningQuery.all(off.currentEventsByPersistenceId(type, 0, 1), system))
                .isEmpty();
    }

    @Test
    void tableWithoutTheSliceIndex_isNamedWithWhatToDo() {
        persist("without-index-journal", type + "|1", new Tagged("a", Set.of("red")));
        DynamoDBReadJournal without = journal("without-index");
        for (var source : List.of(
                without.eventsBySlices(type, 0, 1023, BEGINNING),
                without.currentEventsBySlices(type, 0, 1023, BEGINNING),
                without.eventsByTag("red", BEGINNING),
                without.currentEventsByTag("red", BEGINNING))) {
            assertThat(RunningQuery.failure(source, system))
                    .isInstanceOf(TableException.class)
                    .hasMessageContainingAll("has no index 'slice-idx'", "docs/guide/tables.md");
        }
        assertThat(RunningQuery.all(without.currentEventsByPersistenceId(type + "|1", 0, 1), system))
                .hasSize(1);
    }

    @Test
    void missingTable_isNamedWithWhatToDo() {
        DynamoDBReadJournal missing = journal("missing");
        for (var source : List.of(
                missing.eventsBySlices(type, 0, 1023, BEGINNING),
                missing.currentEventsBySlices(type, 0, 1023, BEGINNING),
                missing.eventsByTag("red", BEGINNING),
                missing.currentEventsByTag("red", BEGINNING),
                missing.eventsByPersistenceId(type, 0, 1),
                missing.currentEventsByPersistenceId(type, 0, 1),
                missing.persistenceIds(),
                missing.currentPersistenceIds())) {
            assertThat(RunningQuery.failure(source, system))
                    .isInstanceOf(TableMissingException.class)
                    .hasMessageContainingAll("'" + MISSING + "'", "does not exist", "create it with VarveTables");
        }
        assertThat(RunningQuery.failure(missing.loadEnvelope(type, 1))).isInstanceOf(TableMissingException.class);
    }

    @Test
    void tableWithOtherKeys_isRefusedWithTheDifference() {
        assertThat(RunningQuery.failure(journal("keyless").eventsBySlices(type, 0, 1023, BEGINNING), system))
                .isInstanceOf(TableException.class)
                .hasMessageContaining("cannot be used as a journal");
    }

    @Test
    void otherNumberOfShards_isRefusedWithTheRightOne() {
        persist("", type + "|1", new Tagged("a", Set.of("red")));
        DynamoDBReadJournal other = journal("other-shards");
        for (var source : List.of(
                other.eventsBySlices(type, 0, 1023, BEGINNING),
                other.currentEventsByTag("red", BEGINNING),
                other.currentEventsByPersistenceId(type, 0, 1))) {
            assertThat(RunningQuery.failure(source, system))
                    .isInstanceOf(TableException.class)
                    .hasMessageContaining("set slice-index.shards = 64");
        }
    }

    @Test
    void eventThatCannotBeDeserialized_isNamed_andOtherQueriesGoOn() {
        String id = type + "|1";
        TestEntity entity = TestEntity.start(system, id);
        entity.recovered();
        entity.persist("e1", new UnreadableSerializer.Unreadable("x"), "e3").expectStored(3);
        try (RunningQuery<?> live = RunningQuery.of(journal.eventsBySlices(type, 0, 1023, BEGINNING), system);
                RunningQuery<?> other = RunningQuery.of(journal.eventsByPersistenceId(id, 3, 9), system)) {
            live.next();
            other.next();
            for (Throwable failure : List.of(
                    live.expectFailure(),
                    RunningQuery.failure(journal.currentEventsBySlices(type, 0, 1023, BEGINNING), system),
                    RunningQuery.failure(journal.currentEventsByPersistenceId(id, 0, 9), system),
                    RunningQuery.failure(journal.loadEnvelope(id, 2)))) {
                assertThat(failure)
                        .isInstanceOf(VarveException.class)
                        .hasMessageContainingAll(
                                "Event 2 of '" + id + "'",
                                "serializer " + UnreadableSerializer.IDENTIFIER,
                                "manifest 'unreadable'")
                        .rootCause()
                        .hasMessage("the bytes are strange");
            }
            entity.persist("e4").expectStored(1);
            other.next();
        }
    }

    @Test
    void eventWhoseAdapterFails_isNamed() {
        String id = type + "|1";
        persist("", id, "e1");
        assertThat(RunningQuery.failure(journal("broken-adapter").currentEventsByPersistenceId(id, 0, 9), system))
                .isInstanceOf(VarveException.class)
                .hasMessageContainingAll("Event 1 of '" + id + "'", "event adapter for java.lang.String", "manifest ''")
                .rootCause()
                .hasMessage("it is broken");
    }

    private static Throwable refusal(String section) {
        try {
            journal(section);
        } catch (RuntimeException e) {
            return Causes.unwrap(rootCause(e));
        }
        throw new AssertionError(section + " was accepted");
    }

    private static Throwable rootCause(Throwable thrown) {
        return thrown.getCause() == null ? thrown : rootCause(thrown.getCause());
    }

    @ParameterizedTest
    @CsvSource({
        "r, false",
        "slow-writer, true",
        "slow-writer-and-backtracking, false",
        "slow-writer-and-breaker, true",
    })
    void backtrackingThatIsNearerThanAWriteCanBeLong_isWarnedOf(String section, boolean warned) {
        try (LogCapture warnings = LogCapture.of(Queries.class, Level.WARN)) {
            journal(section);
            assertThat(warnings.messages(Level.WARN))
                    .hasSize(warned ? 1 : 0)
                    .allSatisfy(message -> assertThat(message)
                            .startsWith(section + ".backtracking.behind-current-time (")
                            .contains("operation-timeout of slow-"));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "no-journal, write-plugin",
        "empty-journal, write-plugin",
        "misspelt, page-sice",
        "misspelt-2, backtracking.windw",
        "misspelt-3, persistence-ids.sorce",
        "misspelt-4, events-by-tag.types",
        "misspelt-5, sweep.intervall",
        "bad-1, page-size",
        "bad-2, refresh-interval",
        "bad-3, parallelism",
        "bad-4, max-failures",
        "bad-5, behind-current-time",
        "bad-6, backtracking.behind-current-time",
        "bad-7, backtracking.window",
        "bad-8, sweep.window",
        "bad-9, sweep.interval",
        "bad-10, remembered-entities",
        "bad-11, persistence-ids.source",
        "bad-12, persistence-ids.scan-segments",
        "bad-13, persistence-ids.refresh-interval",
        "bad-14, persistence-ids-index-name",
        "bad-15, events-by-tag.entity-types",
        "bad-16, publish-events.number-of-topics",
        "bad-17, journal-table",
        "bad-18, use-client",
    })
    void wrongSetting_isNamedWhenTheReadJournalIsMade(String section, String key) {
        assertThat(refusal(section)).isInstanceOf(SettingsException.class).hasMessageStartingWith(section + "." + key);
    }
}
