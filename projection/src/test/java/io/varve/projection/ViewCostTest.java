package io.varve.projection;

import static io.varve.projection.TestBench.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.projection.internal.delivery.DeliveryModes;
import io.varve.projection.internal.view.ItemModes;
import io.varve.testkit.RecordedRequest;
import io.varve.testkit.RequestLog;
import io.varve.testkit.internal.comparison.CapacityComparison;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.HandlerRecoveryStrategy;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** What views cost: requests and capacity units. */
class ViewCostTest {
    private static TestBench bench;
    private static CapacityComparison capacities;

    private final String name = TestBench.freshName();
    private final List<String> ids = TestEvents.ofSlice(5, 20);

    @BeforeAll
    static void start() {
        bench = new TestBench();
        capacities = CapacityComparison.of(bench.proxy());
    }

    @AfterAll
    static void stop() {
        bench.close();
    }

    @BeforeEach
    void clear() {
        bench.proxy().requests().clear();
    }

    @AfterEach
    void engineCountsTheSame() {
        assertThat(capacities.result().different()).isEmpty();
    }

    record Count(long events) {}

    private static final class Counting extends ViewHandler<Count, String> {
        @Override
        public Count emptyState() {
            return new Count(0);
        }

        @Override
        public Count apply(Count state, EventEnvelope<String> envelope) {
            return new Count(envelope.getEvent().equals("remove") ? -1 : state.events() + 1);
        }

        @Override
        public boolean isRemoved(Count state) {
            return state.events() < 0;
        }
    }

    private DeliveryModes<EventEnvelope<String>> view() {
        return new ItemModes(
                        ItemTable.of(bench.test().target(), id -> Map.of("id", AttributeValue.fromS(name + " " + id))),
                        bench.gateway(bench.client(), Duration.ofSeconds(30)))
                .view(JacksonItemCodec.of(Count.class), Counting::new);
    }

    private void run(List<EventEnvelope<String>> events, String readAheadAfter) {
        TestBench.How how = new TestBench.How(
                bench.with(
                        "pekko.projection.dynamodb { offset-store.slice-flush-interval = 1h, view.read-ahead-after = "
                                + readAheadAfter + " }"),
                HandlerRecoveryStrategy.fail(),
                25,
                20);
        await(bench.run(name, new TestEvents(5, 5).bring(events), view(), bench.table(name), how));
    }

    /** What was sent to the table of the view. */
    private static RequestLog items() {
        return bench.proxy().requests().table(bench.test().target());
    }

    @Test
    void oneEventOfEachEntity_isOneReadForAllAndAWriteUnitEach() {
        List<EventEnvelope<String>> events = new ArrayList<>();
        ids.forEach(id -> events.add(TestEvents.event(id, 1)));
        run(events, "off");
        assertThat(items().where(request -> request.operation().equals("BatchGetItem")).requests().stream()
                        .mapToInt(RecordedRequest::items)
                        .sum())
                .isEqualTo(20);
        RequestLog writes = items().where(request -> request.operation().equals("UpdateItem"));
        assertThat(writes.size()).isEqualTo(20);
        assertThat(writes.capacity().writeUnits()).isEqualTo(20);
        assertThat(bench.proxy()
                        .requests()
                        .table(bench.offsets())
                        .where(request ->
                                Set.of("TransactWriteItems", "BatchWriteItem").contains(request.operation()))
                        .operations())
                .as("only the place of the slice")
                .containsExactly("BatchWriteItem(1)");
    }

    @Test
    void eventOfAnEntityInMemory_isOneWriteUnitAndNoRead() {
        List<EventEnvelope<String>> events = new ArrayList<>();
        for (long number = 1; number <= 10; number++) {
            events.add(TestEvents.event(ids.get(0), number));
        }
        run(events, "off");
        assertThat(items().where(request -> request.operation().equals("BatchGetItem"))
                        .size())
                .isEqualTo(1);
        RequestLog writes = items().where(request -> request.operation().equals("UpdateItem"));
        assertThat(writes.capacity().writeUnits()).isEqualTo(writes.size()).isLessThanOrEqualTo(10);
    }

    @Test
    void rebuildOfEntitiesWithFiftyEvents_isOneWriteForEachEntity() {
        List<EventEnvelope<String>> events = new ArrayList<>();
        for (int number = 1; number <= 50; number++) {
            for (int entity = 0; entity < ids.size(); entity++) {
                events.add(TestEvents.event(ids.get(entity), number, 1_000L * number + entity));
            }
        }
        run(events, "1 s");
        RequestLog writes = items().where(request -> request.operation().equals("UpdateItem"));
        assertThat(writes.size()).as("for 1,000 events").isEqualTo(20);
        assertThat(writes.capacity().writeUnits()).isEqualTo(20);
    }

    @Test
    void removal_isOneWriteUnit() {
        run(List.of(TestEvents.event(ids.get(0), 1)), "off");
        bench.proxy().requests().clear();
        run(List.of(TestEvents.withText(TestEvents.event(ids.get(0), 2), "remove")), "off");
        RequestLog writes = items().where(request -> !request.operation().equals("BatchGetItem"));
        assertThat(writes.operations()).containsExactly("PutItem");
        assertThat(writes.capacity().writeUnits()).isEqualTo(1);
    }
}
