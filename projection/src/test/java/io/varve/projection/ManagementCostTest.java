package io.varve.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.varve.persistence.internal.plugin.Futures;
import io.varve.persistence.query.SliceOffsets;
import io.varve.projection.Recorder.Kind;
import io.varve.projection.internal.event.EntityEvents;
import io.varve.projection.javadsl.DynamoDBSourceProvider;
import io.varve.store.Slices;
import io.varve.store.internal.layout.EventId;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.TableNames;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.RunningProjection;
import org.apache.pekko.projection.RunningProjectionManagement;
import org.apache.pekko.projection.eventsourced.javadsl.EventSourcedProvider;
import org.apache.pekko.projection.internal.ManagementState;
import org.apache.pekko.projection.javadsl.SourceProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import scala.Option;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** What it costs to ask about projections, and to ask the journal for them. */
class ManagementCostTest {
    private static FaultProxy proxy;
    private static TestSystem test;

    @BeforeAll
    static void start() {
        proxy = FaultProxy.start(DynamoDBLocal.shared().endpoint());
        test = new TestSystem(
                proxy.endpoint(),
                TableNames.fresh().journal(),
                "offsets-" + UUID.randomUUID(),
                "target-" + UUID.randomUUID(),
                "");
    }

    @AfterAll
    static void stop() {
        test.close();
        proxy.close();
    }

    private static <T> T get(scala.concurrent.Future<T> future) {
        return Futures.toJava(future).toCompletableFuture().join();
    }

    private static List<String> reads() {
        return proxy.requests()
                .where(request -> request.tables().contains(test.offsets())
                        && !request.operation().equals("BatchWriteItem")
                        && !request.operation().equals("TransactWriteItems"))
                .operations();
    }

    @Test
    @SuppressWarnings("unchecked")
    void offsetAndPause_ofARunningProjection_areKnownToIt() {
        RunningProjection running =
                new Recorder(test).projection(Kind.EXACTLY_ONCE, "asked").run(test.system());
        RunningProjectionManagement<Offset> asked = (RunningProjectionManagement<Offset>) running;
        test.persist("asked|a", "1");
        int slice = Slices.of("asked|a");
        await().untilAsserted(() -> assertThat(get(asked.getOffset())
                        .filter(offset -> ((SliceOffsets) offset).offset(slice).isPresent())
                        .isDefined())
                .isTrue());
        proxy.requests().clear();
        for (int i = 0; i < 10; i++) {
            Option<ManagementState> state = get(asked.getManagementState());
            assertThat(state.get().paused()).isFalse();
            assertThat(get(asked.getOffset()).isDefined()).isTrue();
        }
        assertThat(reads()).isEmpty();
        get(running.stop());
    }

    @Test
    void pauseOfAllSlices_isReadWithOneRequest() {
        TestBench bench = new TestBench();
        try {
            bench.table("p").setPaused(0, 1023, true).toCompletableFuture().join();
            bench.proxy().requests().clear();
            assertThat(TestBench.await(bench.table("p").isPaused(0, 1023))).isTrue();
            assertThat(bench.proxy().requests().operations()).containsExactly("BatchGetItem(66)");
        } finally {
            bench.close();
        }
    }

    private static SourceProvider<Offset, EventEnvelope<String>> pekkos(String type) {
        return EventSourcedProvider.eventsBySlices(test.system(), "dynamodb-read-journal", type, 0, 1023);
    }

    @Test
    void sourceOfPekko_tellsWhatItReads_throughItsQuery() {
        assertThat(TestBench.await(EntityEvents.of(pekkos("told")).reads()))
                .isEqualTo(new EntityEvents.Reads(
                        Optional.of("told"), OptionalInt.of(Slices.NUMBER / TestSystem.SHARDS), Duration.ofMinutes(2)));
    }

    @Test
    void timestampsOfManyEvents_areOneRequest_whateverIsMissing() {
        test.persist("times|a", "1", "2");
        test.persist("times|b", "1");
        EntityEvents<EventEnvelope<String>> ours =
                EntityEvents.of(DynamoDBSourceProvider.<String>eventsBySlices(test.system(), "times", 0, 1023));
        List<EventId> ids = List.of(new EventId("times|a", 2), new EventId("times|b", 1), new EventId("times|b", 2));
        TestBench.await(ours.timestampsOf(ids));
        proxy.requests().clear();
        var found = TestBench.await(ours.timestampsOf(ids));
        assertThat(proxy.requests()
                        .where(request -> request.tables().contains(test.journal()))
                        .operations())
                .containsExactly("BatchGetItem(3)");
        assertThat(found).containsOnlyKeys(ids.get(0), ids.get(1));
        assertThat(TestBench.await(EntityEvents.of(pekkos("times")).timestampsOf(ids)))
                .isEqualTo(Map.copyOf(found));
    }

    @Test
    void projectionWithTheSourceOfPekko_claimsItsRowsForItsEntityType() {
        RunningProjection running = new Recorder(test)
                .projection(Kind.AT_LEAST_ONCE, ProjectionId.of("quiet", "all"), pekkos("quiet"))
                .run(test.system());
        test.persist("quiet|a", "1");
        await().untilAsserted(() -> assertThat(test.stored("quiet", "quiet|a")).isEqualTo(1));
        get(running.stop());
        assertThat(test.client()
                        .getItem(get -> get.tableName(test.offsets())
                                .key(Map.of(
                                        "name_slice",
                                        AttributeValue.fromS("quiet-all"),
                                        "pid",
                                        AttributeValue.fromS("_type"))))
                        .join()
                        .item())
                .as("whose the rows are")
                .containsEntry("type", AttributeValue.fromS("quiet"));
    }
}
