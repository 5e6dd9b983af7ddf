package io.varve.projection;

import static io.varve.projection.TestBench.await;
import static io.varve.projection.TestEvents.event;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.projection.TestBench.How;
import io.varve.projection.internal.delivery.DeliveryModes;
import io.varve.store.internal.offset.LastProcessed;
import io.varve.store.internal.offset.OffsetTable;
import io.varve.store.internal.offset.SetOffsets;
import io.varve.store.internal.offset.SliceOffset;
import io.varve.testkit.RecordedRequest;
import io.varve.testkit.internal.comparison.CapacityComparison;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What projections cost: the exact requests to the offset table. */
class OffsetCostTest {
    private static TestBench bench;
    private static CapacityComparison capacities;

    private final String name = TestBench.freshName();
    private final List<String> ids = TestEvents.ofSlice(5, 25);

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

    private List<String> requests() {
        return bench.proxy().requests().operations();
    }

    private void run(DeliveryModes<EventEnvelope<String>> mode, How how, List<EventEnvelope<String>> events) {
        await(bench.run(name, new TestEvents(5, 5).bring(events), mode, bench.table(name), how));
    }

    /** Events of these entities in turns. */
    private static List<EventEnvelope<String>> turns(List<String> ids, int events) {
        return IntStream.range(0, events)
                .mapToObj(i -> event(ids.get(i % ids.size()), i / ids.size() + 1, 1_000 + i))
                .toList();
    }

    /** The requests: the start, each entity's row read once, with those of others that wait, and exactly these writes. */
    private void assertRequests(int entities, int times, String operation, String... more) {
        List<RecordedRequest> reads = bench.proxy()
                .requests()
                .where(request -> request.operation().equals("BatchGetItem"))
                .requests();
        assertThat(reads.get(0).items())
                .as("a slice, whether it is paused, and two rows of the projection")
                .isEqualTo(4);
        assertThat(reads.stream().skip(1).mapToInt(RecordedRequest::items).sum())
                .isEqualTo(entities);
        List<String> writes = new ArrayList<>(Collections.nCopies(times, operation));
        writes.addAll(List.of(more));
        assertThat(requests())
                .filteredOn(request -> !request.startsWith("BatchGetItem"))
                .containsExactlyElementsOf(writes);
    }

    @Test
    void start_ofAllSlices_isElevenReads() {
        await(bench.run(name, new TestEvents(0, 1023), bench.exactlyOnce(name, 1), bench.table(name), How.plain()));
        List<String> expected = new ArrayList<>(Collections.nCopies(10, "BatchGetItem(100)"));
        expected.add("BatchGetItem(90)");
        assertThat(requests()).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void firstStart_ofAPartOfAShard_isOneWriteMore() {
        TestEvents part = new TestEvents(4, 7).withSlicesPerShard(16);
        start(part, "BatchGetItem(10)", "BatchWriteItem(4)");
        start(part, "BatchGetItem(10)");
        assertThat(await(bench.directTable(name).read(0, 15)).places()).isEmpty();
    }

    @Test
    void firstStart_ofAnEntityType_isOneWriteMore() {
        TestEvents whole = new TestEvents(0, 15).withSlicesPerShard(16).withEntityType("cart");
        OffsetTable table = bench.table(name, "cart");
        startWith(table, whole, "BatchGetItem(34)", "BatchWriteItem(1)");
        startWith(table, whole, "BatchGetItem(34)");
        startWith(bench.table(name, "cart"), whole, "BatchGetItem(34)");
        TestEvents other = new TestEvents(0, 15).withSlicesPerShard(16).withEntityType("order");
        startWith(bench.table(name, "order"), other, "BatchGetItem(34)", "BatchGetItem(32)");
    }

    @Test
    void start_afterAnOffsetWasSet_readsOneRowMoreForEachSlice() {
        await(bench.table(name).set(Map.of(5, new SliceOffset(100, Map.of(), 100))));
        start(new TestEvents(0, 15), "BatchGetItem(34)", "BatchGetItem(16)");
    }

    private void start(TestEvents events, String... expected) {
        startWith(bench.table(name), events, expected);
    }

    private void startWith(OffsetTable table, TestEvents events, String... expected) {
        bench.proxy().requests().clear();
        await(bench.run(name, events, bench.exactlyOnce(name, 1), table, How.plain()));
        assertThat(requests()).containsExactly(expected);
    }

    @Test
    void exactlyOnce_isATransactionForEachEventAndOneWriteOfThePlaces() {
        run(bench.exactlyOnce(name, 1), How.plain(), turns(ids.subList(0, 3), 30));
        assertRequests(3, 30, "TransactWriteItems(2)", "BatchWriteItem(1)");
    }

    @Test
    void exactlyOnce_inParallel_costsTheSame() {
        run(bench.exactlyOnce(name, 8), How.plain(), turns(ids.subList(0, 3), 30));
        assertRequests(3, 30, "TransactWriteItems(2)", "BatchWriteItem(1)");
    }

    @Test
    void placesOfManySlices_areStoredTogether() {
        List<String> spread = IntStream.range(0, 20)
                .mapToObj(slice -> TestEvents.ofSlice(slice, 1).get(0))
                .toList();
        run(bench.exactlyOnce(name, 1), How.plain(), turns(spread, 60));
        assertRequests(20, 60, "TransactWriteItems(2)", "BatchWriteItem(20)");
    }

    @Test
    void exactlyOnceGrouped_isATransactionForEachGroup() {
        run(bench.exactlyOnceGrouped(name), How.plain().groups(10), turns(ids.subList(0, 5), 30));
        assertRequests(5, 3, "TransactWriteItems(10)", "BatchWriteItem(1)");
    }

    @Test
    void atLeastOnce_isOneWriteFor25EventsOf25Entities() {
        run(new TestBench.Notes().atLeastOnce(), How.plain(), turns(ids, 25));
        assertRequests(25, 1, "BatchWriteItem(25)", "BatchWriteItem(1)");
    }

    @Test
    void atLeastOnce_entitiesThatRepeatAreWrittenOnceForEachSave() {
        run(new TestBench.Notes().atLeastOnce(), How.plain(), turns(ids.subList(0, 5), 75));
        assertRequests(5, 3, "BatchWriteItem(5)", "BatchWriteItem(1)");
    }

    @Test
    void atLeastOnceGrouped_isOneWriteForEachGroup() {
        run(new TestBench.Notes().atLeastOnceGrouped(), How.plain().groups(25), turns(ids, 50));
        assertRequests(25, 2, "BatchWriteItem(25)", "BatchWriteItem(1)");
    }

    @Test
    void duplicates_writeNothing() {
        await(bench.table(name)
                .save(ids.stream().map(id -> new LastProcessed(id, 9, 9_000)).toList(), SetOffsets.NONE));
        clear();
        run(bench.exactlyOnce(name, 1), How.plain(), turns(ids, 100));
        assertRequests(25, 0, "");
    }

    @Test
    void eventsThatAreLaterThanTheWindow_areOneWriteOfTheirPlacesMore_thoseWithinItNone() {
        long minute = 60_000_000;
        run(bench.exactlyOnce(name, 1), How.plain(), List.of(event(ids.get(0), 1, 100 * minute)));
        for (long age : new long[] {1, 9}) {
            TestEvents late = new TestEvents(5, 5).withWindow(Duration.ofMinutes(2));
            late.bringLate(ids.subList(1, 4).stream()
                    .map(id -> event(id, age, (100 - age) * minute))
                    .toList());
            clear();
            await(bench.run(name, late, bench.exactlyOnce(name, 1), bench.table(name), How.plain()));
            assertThat(requests().stream().filter("BatchWriteItem(1)"::equals))
                    .as("%s minutes late: the places at the end, and before", age)
                    .hasSize(age == 1 ? 0 : 2);
        }
    }

    @Test
    void gap_costsNoRequestToTheOffsetTable() {
        String id = ids.get(0);
        TestEvents events = new TestEvents(5, 5).bring(List.of(event(id, 1)));
        LongStream.rangeClosed(2, 9).forEach(number -> events.store(event(id, number)));
        events.bring(List.of(event(id, 10)));
        await(bench.run(name, events, bench.exactlyOnce(name, 1), bench.table(name), How.plain()));
        assertRequests(1, 10, "TransactWriteItems(2)", "BatchWriteItem(1)");
    }

    @Test
    void droppedEvents_areOneTransactionFor25EntitiesAtTheEnd_andNoneForThoseWithALaterEvent() {
        TestEvents events = new TestEvents(5, 5);
        List<String> dropped = TestEvents.ofSlice(5, 51);
        dropped.forEach(id -> events.bring(List.of(event(id, 1), event(id, 2))));
        dropped.forEach(id -> events.storeDropped(event(id, 2)));
        events.bring(List.of(event(dropped.get(0), 3)));
        await(bench.run(name, events, new TestBench.Notes().atLeastOnce(), bench.table(name), How.plain()));
        assertThat(requests())
                .filteredOn(request -> request.startsWith("Transact"))
                .containsExactly("TransactWriteItems(25)", "TransactWriteItems(25)");
        assertThat(await(bench.directTable(name).lastProcessed(dropped, SetOffsets.NONE))
                        .values())
                .hasSize(51)
                .allMatch(last -> last.sequenceNumber() == (last.persistenceId().equals(dropped.get(0)) ? 3 : 2));
    }

    @Test
    void unknownEntities_areAskedAboutTogether() {
        List<String> many = TestEvents.ofSlice(5, 40);
        TestEvents events = new TestEvents(5, 5);
        many.forEach(id -> events.store(event(id, 4)));
        await(bench.table(name).set(Map.of(5, new SliceOffset(4_500, Map.of(), 4_500))));
        events.bring(many.stream().map(id -> event(id, 5)).toList());
        await(bench.run(name, events, bench.exactlyOnce(name, 8), bench.table(name), How.plain()));
        assertThat(events.asked()).hasSizeLessThanOrEqualTo(3);
        assertThat(String.join(" ", events.asked()).split(" ")).hasSize(80);
        many.forEach(id -> assertThat(bench.applied(name, id)).containsExactly(5L));
    }
}
