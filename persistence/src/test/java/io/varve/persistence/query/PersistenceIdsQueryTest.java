package io.varve.persistence.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.persistence.journal.TestEntity;
import io.varve.persistence.journal.TestEntity.Options;
import io.varve.persistence.journal.TestJournal;
import io.varve.persistence.query.javadsl.DynamoDBReadJournal;
import io.varve.store.TableException;
import io.varve.testkit.DynamoDBLocal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.persistence.query.PersistenceQuery;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Option;
import software.amazon.awssdk.services.dynamodb.model.GlobalSecondaryIndex;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;

/** Which entities there are: from each source, all at once, page by page, and as they come. */
class PersistenceIdsQueryTest {
    private static final int COUNT = 40;
    private static final Set<String> IDS =
            new TreeSet<>(IntStream.range(0, COUNT).mapToObj(i -> "entity|" + i).toList());

    private static ActorSystem system;

    @BeforeAll
    static void start() {
        String predecessors = predecessorTable();
        system = ActorSystem.create(
                "persistence-ids",
                TestJournal.config(
                        DynamoDBLocal.shared().endpoint(), TestJournal.createTable(), """
                        dynamodb-read-journal.persistence-ids.refresh-interval = 20 ms
                        growing-journal = ${dynamodb-journal}, growing-journal.journal-name = growing
                        index = ${dynamodb-read-journal}
                        growing = ${dynamodb-read-journal}, growing.write-plugin = growing-journal
                        scan = ${dynamodb-read-journal}, scan.persistence-ids { source = scan, scan-segments = 3 }
                        old-journal = ${dynamodb-journal}, old-journal.journal-table = "%s"
                        predecessor-index = ${dynamodb-read-journal}
                        predecessor-index {
                          write-plugin = old-journal
                          persistence-ids.source = predecessor-index
                          persistence-ids-index-name = "their-idx"
                        }
                        old-scan = ${scan}, old-scan.write-plugin = old-journal
                        wrong-source = ${dynamodb-read-journal}, wrong-source.write-plugin = old-journal
                        wrong-name = ${predecessor-index}, wrong-name.persistence-ids-index-name = "other-idx"
                        """.formatted(predecessors)));
        for (String id : IDS) {
            write(id, "");
            write(id, "old-journal");
        }
    }

    @AfterAll
    static void stop() {
        TestKit.shutdownActorSystem(system);
    }

    /** As pekko-persistence-dynamodb tells to create it, with its index of persistence ids under another name. */
    private static String predecessorTable() {
        return TestJournal.createPredecessorTable(GlobalSecondaryIndex.builder()
                .indexName("their-idx")
                .keySchema(TestJournal.key("num", KeyType.HASH), TestJournal.key("par", KeyType.RANGE))
                .projection(projection -> projection.projectionType(ProjectionType.ALL))
                .build());
    }

    private static void write(String id, String plugin) {
        TestEntity entity = TestEntity.start(system, Options.of(id).withJournal(plugin));
        entity.recovered();
        entity.persist("e1", "e2").expectStored(2);
        entity.stop();
    }

    private static DynamoDBReadJournal journal(String section) {
        return PersistenceQuery.get(system).getReadJournalFor(DynamoDBReadJournal.class, section);
    }

    @ParameterizedTest
    @ValueSource(strings = {"index", "scan", "predecessor-index", "old-scan"})
    void current_listsEachEntityOnce(String section) {
        Source<String, NotUsed> ids = journal(section).currentPersistenceIds();
        assertThat(RunningQuery.all(ids, system)).containsExactlyInAnyOrderElementsOf(IDS);
        assertThat(RunningQuery.all(ids, system)).as("run again").hasSize(COUNT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"index", "scan", "predecessor-index"})
    void paged_goesOnAfterTheLastIdOfAPage(String section) {
        DynamoDBReadJournal journal = journal(section);
        List<String> listed = new ArrayList<>();
        List<String> page = RunningQuery.all(journal.currentPersistenceIds(Optional.empty(), 7), system);
        while (!page.isEmpty()) {
            assertThat(page).hasSizeLessThanOrEqualTo(7);
            listed.addAll(page);
            Source<String, NotUsed> next = journal.currentPersistenceIds(Optional.of(page.get(page.size() - 1)), 7);
            page = RunningQuery.all(next, system);
            assertThat(RunningQuery.all(next, system)).as("run again").isEqualTo(page);
        }
        assertThat(listed).containsExactlyInAnyOrderElementsOf(IDS);
        assertThat(RunningQuery.all(journal.currentPersistenceIds(Optional.empty(), Long.MAX_VALUE), system))
                .isEqualTo(listed);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void limitThatIsNotPositive_isRefusedAtTheCall(long limit) {
        assertThatThrownBy(() -> journal("index").currentPersistenceIds(Optional.empty(), limit))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("limit is " + limit + ", but must be greater than zero.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"index", "scan", "predecessor-index"})
    void live_listsEachEntityOnce(String section) {
        try (RunningQuery<String> live = RunningQuery.of(journal(section).persistenceIds(), system)) {
            assertThat(live.next(COUNT)).containsExactlyInAnyOrderElementsOf(IDS);
        }
    }

    @Test
    void live_listsNewEntitiesAsTheyCome() {
        Source<String, NotUsed> source = journal("growing").persistenceIds();
        try (RunningQuery<String> live = RunningQuery.of(source, system);
                RunningQuery<String> other = RunningQuery.of(source, system)) {
            for (String id : List.of("a|1", "b|2", "c")) {
                write(id, "growing-journal");
                assertThat(live.next()).isEqualTo(id);
                assertThat(other.next()).isEqualTo(id);
            }
        }
    }

    @Test
    void scaladsl_isTheSame() {
        io.varve.persistence.query.scaladsl.DynamoDBReadJournal scala =
                PersistenceQuery.get(system).readJournalFor("index");
        List<String> expected = RunningQuery.all(journal("index").currentPersistenceIds(), system);
        assertThat(RunningQuery.all(scala.currentPersistenceIds().asJava(), system))
                .isEqualTo(expected);
        assertThat(RunningQuery.all(
                        scala.currentPersistenceIds(Option.apply(expected.get(9)), 5)
                                .asJava(),
                        system))
                .isEqualTo(expected.subList(10, 15));
        try (RunningQuery<String> live = RunningQuery.of(scala.persistenceIds().asJava(), system)) {
            assertThat(live.next(COUNT)).isEqualTo(expected);
        }
    }

    @Test
    void missingIndex_isNamedWithWhatToDo() {
        assertThat(RunningQuery.failure(journal("wrong-source").currentPersistenceIds(), system))
                .isInstanceOf(TableException.class)
                .hasMessageContainingAll("'pid-idx'", "persistence-ids.source", "scan", "predecessor-index");
        assertThat(RunningQuery.failure(journal("wrong-source").persistenceIds(), system))
                .isInstanceOf(TableException.class);
        assertThat(RunningQuery.failure(journal("wrong-name").currentPersistenceIds(), system))
                .isInstanceOf(TableException.class)
                .hasMessageContainingAll("'other-idx'", "persistence-ids-index-name");
    }
}
