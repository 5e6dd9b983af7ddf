package io.varve.persistence.journal;

import static io.varve.persistence.journal.TestEntity.freshId;
import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValueFactory;
import io.varve.persistence.journal.TestEntity.Options;
import io.varve.testkit.DynamoDBLocal;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Several journals in one actor system: copied sections, sections given at run time, journal-names in one table. */
class SeveralJournalsTest {
    private static String table;
    private static String otherTable;
    private static ActorSystem system;

    private final String persistenceId = freshId();

    @BeforeAll
    static void startSystem() {
        table = TestJournal.createTable();
        otherTable = TestJournal.createTable();
        system = ActorSystem.create(
                "several", TestJournal.config(DynamoDBLocal.shared().endpoint(), table, """
                        my-dynamodb-journal = ${dynamodb-journal}
                        my-dynamodb-journal { journal-table = "%s" }
                        second-name-journal = ${dynamodb-journal}
                        second-name-journal { journal-name = "journal-P" }
                        """.formatted(otherTable)));
    }

    @AfterAll
    static void stopSystem() {
        TestKit.shutdownActorSystem(system);
    }

    private static void write(Options options, String... events) {
        TestEntity entity = TestEntity.start(system, options);
        entity.recovered();
        entity.persist((Object[]) events).expectStored(events.length);
        entity.stop();
    }

    private static List<Object> read(Options options) {
        TestEntity entity = TestEntity.start(system, options);
        List<Object> events = entity.recovered().events();
        entity.stop();
        return events;
    }

    /** The section of the default journal under another path, as a multi-tenant application hands it to its actors. */
    private static Config tenant(String path, String tenantTable) {
        return ConfigFactory.empty()
                .withValue(path, system.settings().config().getValue("dynamodb-journal"))
                .withValue(path + ".journal-table", ConfigValueFactory.fromAnyRef(tenantTable));
    }

    @Test
    void copiedSection_writesToItsOwnTable() {
        Options first = Options.of(persistenceId);
        Options copy = first.withJournal("my-dynamodb-journal");
        write(first, "a1", "a2");
        write(copy, "b1");
        assertThat(read(first)).containsExactly("a1", "a2");
        assertThat(read(copy)).containsExactly("b1");
        assertThat(TestJournal.item(table, "journal", persistenceId, 1).event()).isEqualTo("a1");
        assertThat(TestJournal.item(otherTable, "journal", persistenceId, 1).event())
                .isEqualTo("b1");
    }

    @Test
    void journalNamesInOneTable_doNotSeeEachOther() {
        Options first = Options.of(persistenceId);
        Options second = first.withJournal("second-name-journal");
        write(first, "a1", "a2", "a3");
        assertThat(read(second)).isEmpty();
        write(second, "b1");
        TestEntity deleting = TestEntity.start(system, first);
        deleting.recovered();
        deleting.delete(3).expect(TestEntity.Deleted.class);
        deleting.stop();
        assertThat(read(first)).isEmpty();
        assertThat(read(second)).containsExactly("b1");
        assertThat(TestJournal.item(table, "journal-P", persistenceId, 1).event())
                .isEqualTo("b1");
    }

    @Test
    void tenantsConfiguredAtRunTime_eachHaveTheirTable() {
        String blueTable = TestJournal.createTable();
        String redTable = TestJournal.createTable();
        Options blue = Options.of(persistenceId)
                .withJournal("tenants.blue.journal")
                .withRuntimeConfig(tenant("tenants.blue.journal", blueTable));
        Options red = Options.of(persistenceId)
                .withJournal("tenants.red.journal")
                .withRuntimeConfig(tenant("tenants.red.journal", redTable));
        write(blue, "blue1");
        write(red, "red1", "red2");
        write(blue, "blue2");
        assertThat(read(blue)).containsExactly("blue1", "blue2");
        assertThat(read(red)).containsExactly("red1", "red2");
        assertThat(TestJournal.item(blueTable, "journal", persistenceId, 2).event())
                .isEqualTo("blue2");
        assertThat(TestJournal.item(redTable, "journal", persistenceId, 2).event())
                .isEqualTo("red2");
    }

    @Test
    void tenantWithItsOwnClientAtRunTime_reachesItsOwnServer() {
        try (DynamoDBLocal elsewhere = DynamoDBLocal.inMemory()) {
            String tenantTable = TestJournal.createTable(elsewhere);
            Config config = tenant("tenants.far.journal", tenantTable)
                    .withValue(
                            "tenants.far.journal.client.local.port",
                            ConfigValueFactory.fromAnyRef(elsewhere.endpoint().getPort()));
            Options far =
                    Options.of(persistenceId).withJournal("tenants.far.journal").withRuntimeConfig(config);
            write(far, "far1");
            assertThat(read(far)).containsExactly("far1");
        }
    }

    @Test
    void nodesThatBeginANewTableAtTheSameTime_agreeOnIt() {
        String fresh = TestJournal.createTable();
        List<ActorSystem> nodes = IntStream.range(0, 3)
                .mapToObj(i -> ActorSystem.create(
                        "node-" + i, TestJournal.config(DynamoDBLocal.shared().endpoint(), fresh, "")))
                .toList();
        try {
            List<TestEntity> entities = nodes.stream()
                    .map(node -> TestEntity.start(node, persistenceId + node.name()))
                    .toList();
            entities.forEach(entity -> {
                entity.recovered();
                entity.persist(TestEntity.events(1, 101).toArray()).expectStored(101);
                entity.stop();
            });
            ActorSystem first = nodes.get(0);
            nodes.forEach(node -> assertThat(TestEntity.recover(first, persistenceId + node.name()))
                    .isEqualTo(TestEntity.events(1, 101)));
        } finally {
            nodes.forEach(TestKit::shutdownActorSystem);
        }
    }
}
