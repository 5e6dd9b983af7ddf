package io.varve.persistence.journal;

import static io.varve.persistence.journal.TestEntity.freshId;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import com.typesafe.config.ConfigFactory;
import io.varve.persistence.journal.TestEntity.Options;
import io.varve.persistence.journal.TestEntity.Recovered;
import io.varve.persistence.journal.TestEntity.RecoveryFailed;
import io.varve.store.KeyException;
import io.varve.store.TableException;
import io.varve.store.TableMissingException;
import io.varve.store.VarveException;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.TableNames;
import java.util.List;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.persistence.JournalProtocol;
import org.apache.pekko.persistence.Persistence;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.model.KeyType;

/** What an actor hears of a table, or of a configuration, that the journal cannot work with. */
class TableProblemsTest {
    private static final String MISSING = TableNames.fresh().journal();
    private static String keyless;
    private static String shared;
    private static ActorSystem system;

    private final String persistenceId = freshId();

    @BeforeAll
    static void startSystem() {
        keyless = TestJournal.createTable(TestJournal.key("key", KeyType.HASH));
        shared = TestJournal.createTable();
        system = ActorSystem.create(
                "tables", TestJournal.config(DynamoDBLocal.shared().endpoint(), shared, """
                        missing = ${dynamodb-journal}, missing.journal-table = "%s"
                        keyless = ${dynamodb-journal}, keyless.journal-table = "%s"
                        ten = ${dynamodb-journal}, ten { journal-name = named, sequence-shards = 10 }
                        fewer = ${ten}, fewer.sequence-shards = 2
                        more = ${ten}, more.sequence-shards = 20
                        auto = ${ten}, auto.sequence-shards = auto
                        other-index = ${ten}, other-index.slice-index.shards = 128
                        misspelt = ${dynamodb-journal}, misspelt.jurnal-name = x
                        no-client = ${dynamodb-journal}, no-client.use-client = "my.client"
                        long-name = ${dynamodb-journal}, long-name.journal-name = "%s"
                        negative = ${dynamodb-journal}, negative.operation-timeout = -3 seconds
                        """.formatted(
                                MISSING, keyless, "n".repeat(2_030))));
    }

    @AfterAll
    static void stopSystem() {
        TestKit.shutdownActorSystem(system);
    }

    private TestEntity start(String journal) {
        return TestEntity.start(system, Options.of(persistenceId).withJournal(journal));
    }

    private Throwable failure(String journal) {
        TestEntity entity = start(journal);
        Throwable reason = entity.expect(RecoveryFailed.class).reason();
        entity.expectStopped();
        return reason;
    }

    @Test
    void missingTable_isNamedWithWhatToDo_andOnceItIsThereTheSamePluginWorks() {
        assertThat(failure("missing"))
                .isInstanceOf(TableMissingException.class)
                .hasMessageContainingAll("'" + MISSING + "'", "does not exist", "create it with VarveTables");
        assertThat(failure("missing")).isInstanceOf(TableMissingException.class);
        TestJournal.createTable(MISSING);
        TestEntity entity = start("missing");
        assertThat(entity.recovered()).isEqualTo(new Recovered(List.of(), 0));
        entity.persist("e1").expectStored(1);
    }

    @Test
    void tableWithOtherKeys_isNamedWithTheKeysThatItNeeds() {
        assertThat(failure("keyless"))
                .isInstanceOf(VarveException.class)
                .hasMessageContainingAll("'" + keyless + "'", "HASH par (S), RANGE num (N)");
    }

    @Test
    void tableBegunWithOtherShards_isRefusedWithBothNumbers() {
        TestEntity first = start("ten");
        first.recovered();
        first.persist("e1").expectStored(1);
        first.stop();
        assertThat(failure("fewer"))
                .isInstanceOf(TableException.class)
                .hasMessageContainingAll("sequence-shards is 2", "'named'", "'" + shared + "'", "at least 10");
        assertThat(failure("other-index"))
                .isInstanceOf(TableException.class)
                .hasMessageContainingAll("slice-index.shards is 128", "'named'", "'" + shared + "'", "begun with 64");
        assertThat(start("auto").recovered().events()).containsExactly("e1");
        assertThat(start("more").recovered().events()).containsExactly("e1");
    }

    @Test
    void journalNameThatLeavesNoRoomForTheKey_isNamed() {
        TestEntity entity = TestEntity.start(system, Options.of("p").withJournal("long-name"));
        assertThat(entity.expect(RecoveryFailed.class).reason())
                .isInstanceOf(KeyException.class)
                .hasMessageContainingAll("'p' is too long", "with the journal-name", "2048");
    }

    @Test
    void emptyPersistenceId_isRefused() {
        TestKit probe = new TestKit(system);
        Persistence.get(system)
                .journalFor("dynamodb-journal", ConfigFactory.empty())
                .tell(new JournalProtocol.ReplayMessages(1, 10, 10, "", probe.getRef()), ActorRef.noSender());
        assertThat(probe.expectMsgClass(TestEntity.PATIENCE, JournalProtocol.ReplayMessagesFailure.class)
                        .cause())
                .hasMessage("An empty persistence id cannot be stored: give the entity an id.");
    }

    @Test
    void wrongSettings_stopThePluginAtItsStartWithTheConfigPath() {
        try (LogCapture log = LogCapture.of("org.apache.pekko.actor.OneForOneStrategy", Level.ERROR)) {
            assertThat(startFailure(log, "misspelt"))
                    .startsWith("misspelt.jurnal-name (")
                    .contains("this setting is not known");
            assertThat(startFailure(log, "no-client"))
                    .isEqualTo(
                            "no-client.use-client: names the section 'my.client', which the configuration does not have");
            assertThat(startFailure(log, "negative"))
                    .contains("set by negative.operation-timeout", "is -3 seconds, but must be longer than zero");
        }
    }

    /** The message of the settings' exception that a plugin's start was logged with. */
    private static String startFailure(LogCapture log, String journal) {
        int before = log.events().size();
        TestKit probe = new TestKit(system);
        ActorRef plugin = Persistence.get(system).journalFor(journal, ConfigFactory.empty());
        probe.watch(plugin);
        probe.expectTerminated(TestEntity.PATIENCE, plugin);
        return probe.awaitAssert(TestEntity.PATIENCE, () -> {
            assertThat(log.messages(Level.ERROR)).hasSize(before + 1);
            return log.messages(Level.ERROR).get(before);
        });
    }
}
