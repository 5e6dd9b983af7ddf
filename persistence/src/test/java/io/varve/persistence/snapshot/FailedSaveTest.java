package io.varve.persistence.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import java.time.Duration;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.persistence.DeleteSnapshotFailure;
import org.apache.pekko.persistence.DeleteSnapshotSuccess;
import org.apache.pekko.persistence.Persistence;
import org.apache.pekko.persistence.SaveSnapshotFailure;
import org.apache.pekko.persistence.SaveSnapshotSuccess;
import org.apache.pekko.persistence.SnapshotMetadata;
import org.apache.pekko.persistence.SnapshotProtocol;
import org.apache.pekko.persistence.SnapshotSelectionCriteria;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import scala.Option;

/** What Pekko does with the store when a save has failed: it asks to delete that snapshot, which may be another one. */
@DynamoDBTest
class FailedSaveTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String ID = "texts|1";

    private final FaultProxy proxy;
    private final ActorSystem system;
    private final TestKit probe;
    private final ActorRef store;
    private final ActorRef fragile;

    FailedSaveTest(FaultProxy proxy) {
        this.proxy = proxy;
        this.system = ActorSystem.create(
                "failed-save",
                TestSnapshots.config(proxy.endpoint(), TestSnapshots.createTables(), """
                        dynamodb-snapshot-store.max-snapshot-size = 100 B
                        fragile = ${dynamodb-snapshot-store}
                        fragile.circuit-breaker { max-failures = 1, reset-timeout = 500 ms }
                        """)
                        .resolve());
        this.probe = new TestKit(system);
        this.store = plugin("dynamodb-snapshot-store");
        this.fragile = plugin("fragile");
    }

    private ActorRef plugin(String path) {
        return Persistence.get(system).snapshotStoreFor(path, ConfigFactory.empty());
    }

    @AfterEach
    void stop() {
        TestKit.shutdownActorSystem(system);
    }

    private <T> T save(String snapshot, Class<T> answer) {
        return save(store, snapshot, answer);
    }

    private <T> T save(ActorRef plugin, String snapshot, Class<T> answer) {
        plugin.tell(new SnapshotProtocol.SaveSnapshot(new SnapshotMetadata(ID, 5, 0), snapshot), probe.getRef());
        return probe.expectMsgClass(PATIENCE, answer);
    }

    private Option<Object> load() {
        store.tell(
                new SnapshotProtocol.LoadSnapshot(ID, SnapshotSelectionCriteria.latest(), Long.MAX_VALUE),
                probe.getRef());
        return probe.expectMsgClass(PATIENCE, SnapshotProtocol.LoadSnapshotResult.class)
                .snapshot()
                .map(selected -> selected.snapshot());
    }

    @Test
    void saveThatFails_leavesTheOlderSnapshotOfTheSameNumber() {
        save("older", SaveSnapshotSuccess.class);
        save("x".repeat(101), SaveSnapshotFailure.class);
        proxy.on(RequestMatch.operation("PutItem").times(1), Fault.error(400, "ValidationException", "no"));
        save("refused", SaveSnapshotFailure.class);
        assertThat(load()).isEqualTo(Option.apply("older"));
        assertThat(load()).isEqualTo(Option.apply("older"));
        assertThat(proxy.requests().operations())
                .as("Pekko asks to delete the snapshot of a failed save, but that would be the older one")
                .containsExactly("PutItem", "PutItem", "Query", "Query");
    }

    @Test
    void deleteAfterAFailedSave_isDone() {
        SnapshotMetadata saved = save("older", SaveSnapshotSuccess.class).metadata();
        save("x".repeat(101), SaveSnapshotFailure.class);
        store.tell(new SnapshotProtocol.DeleteSnapshot(saved), probe.getRef());
        probe.expectMsgClass(PATIENCE, DeleteSnapshotSuccess.class);
        assertThat(load()).isEqualTo(Option.empty());
    }

    @Test
    void deleteAfterAFailedSaveThatOpenedTheCircuitBreaker_isDone() {
        save("older", SaveSnapshotSuccess.class);
        SnapshotMetadata notSaved =
                save(fragile, "x".repeat(101), SaveSnapshotFailure.class).metadata();
        deleteUntilTheBreakerLetsItThrough(notSaved);
        assertThat(load()).isEqualTo(Option.empty());
    }

    private void deleteUntilTheBreakerLetsItThrough(SnapshotMetadata metadata) {
        Object answer = "";
        while (!(answer instanceof DeleteSnapshotSuccess)) {
            fragile.tell(new SnapshotProtocol.DeleteSnapshot(metadata), probe.getRef());
            answer = probe.expectMsgAnyClassOf(PATIENCE, DeleteSnapshotSuccess.class, DeleteSnapshotFailure.class);
        }
    }
}
