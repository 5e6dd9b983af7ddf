package io.varve.persistence.journal;

import static io.varve.persistence.journal.TestEntity.freshId;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.varve.persistence.DynamoDBClients;
import io.varve.persistence.journal.TestEntity.Recovered;
import io.varve.store.StoreObserver;
import io.varve.store.internal.client.ClientSettings;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.FaultProxy;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** What a user hands in before the first plugin starts: a client, credentials, observers, a clock. */
@DynamoDBTest
class OwnClientsAndObserversTest {
    private final String table = TestJournal.createTable();
    private final String persistenceId = freshId();
    private final ActorSystem system =
            ActorSystem.create("own", TestJournal.config(DynamoDBLocal.shared().endpoint(), table, """
                    second-journal = ${dynamodb-journal}
                    second-journal.journal-name = second
                    """));
    private final DynamoDBClients clients = DynamoDBClients.get(system);

    @AfterEach
    void stopSystem() {
        TestKit.shutdownActorSystem(system);
    }

    private void persistAndRecover(String journal) {
        TestEntity.Options options = TestEntity.Options.of(persistenceId).withJournal(journal);
        TestEntity entity = TestEntity.start(system, options);
        entity.recovered();
        entity.persist("e1").expectStored(1);
        entity.stop();
        assertThat(TestEntity.start(system, options).recovered()).isEqualTo(new Recovered(List.of("e1"), 1));
    }

    @Test
    void ownClient_carriesAllRequestsAndSurvivesTheSystem(FaultProxy proxy) {
        try (DynamoDbAsyncClient own = proxy.client()) {
            clients.useClient(ClientSettings.PATH, own);
            persistAndRecover("");
            assertThat(proxy.requests().table(table).operations()).contains("PutItem", "Query");
            TestKit.shutdownActorSystem(system);
            assertThat(own.listTables().join().tableNames()).contains(table);
        }
    }

    @Test
    void ownCredentials_signTheRequests() {
        AtomicInteger asked = new AtomicInteger();
        clients.useCredentials(ClientSettings.PATH, () -> {
            asked.incrementAndGet();
            return AwsBasicCredentials.create("own", "secret");
        });
        persistAndRecover("");
        assertThat(asked.get()).isPositive();
    }

    @Test
    void ownClock_givesTheEventsTheirTimestamps() {
        clients.useClock(() -> Instant.parse("2020-02-29T12:00:00.000001Z"));
        persistAndRecover("");
        assertThat(TestJournal.item(table, "journal", persistenceId, 1).number("ts"))
                .isEqualTo("1582977600000001");
    }

    @Test
    void observers_seeTheRequestsOfAllJournals_andABrokenOneDoesNoHarm() {
        List<StoreObserver.Request> seen = new CopyOnWriteArrayList<>();
        clients.observe(request -> {
            throw new IllegalStateException("broken on purpose");
        });
        clients.observe(seen::add);
        try (LogCapture warnings = LogCapture.of("io.varve.persistence.internal.plugin.Observers", Level.WARN)) {
            persistAndRecover("");
            persistAndRecover("second-journal");
            assertThat(warnings.messages(Level.WARN)).hasSameSizeAs(seen);
        }
        assertThat(seen)
                .allSatisfy(request -> assertThat(request.table()).isEqualTo(table))
                .filteredOn(request -> request.operation().equals("PutItem") && request.capacityUnits() > 0)
                .hasSizeGreaterThanOrEqualTo(2);
    }
}
