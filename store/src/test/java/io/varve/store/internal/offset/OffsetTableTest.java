package io.varve.store.internal.offset;

import static io.varve.store.internal.journal.TestStore.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.Slices;
import io.varve.store.VarveException;
import io.varve.store.internal.client.WriteResult;
import io.varve.store.internal.journal.TestStore;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.TableNames;
import io.varve.testkit.ThrottleCode;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** The rows of the offset table as the storage format has them, and the requests that read and write them. */
@DynamoDBTest
class OffsetTableTest {
    private static final Instant NOW = Instant.ofEpochSecond(1_700_000_000);

    private final FaultProxy proxy;
    private final DynamoDbAsyncClient client;
    private final DynamoDbAsyncClient direct;
    private final String table;

    OffsetTableTest(FaultProxy proxy, DynamoDbAsyncClient direct, TableNames names) {
        this.proxy = proxy;
        this.client = proxy.client();
        this.direct = direct;
        this.table = names.offsets();
    }

    @BeforeEach
    void create() {
        TestOffsets.create(client, table);
        proxy.requests().clear();
    }

    @AfterEach
    void close() {
        client.close();
    }

    private OffsetTable offsets(String projection) {
        return TestOffsets.of(client, table, projection);
    }

    private OffsetTable expiring(InstantSource clock) {
        return new OffsetTable(
                TestStore.on(client, table).gateway(),
                table,
                "p",
                OffsetSettings.DEFAULT.withTimeToLive(Duration.ofHours(1)),
                clock);
    }

    private List<String> requests() {
        return proxy.requests().operations();
    }

    private static Map<String, AttributeValue> key(String partition, String row) {
        return Map.of("name_slice", AttributeValue.fromS(partition), "pid", AttributeValue.fromS(row));
    }

    private static Map<String, AttributeValue> item(
            Map<String, AttributeValue> key, Map<String, AttributeValue> values) {
        Map<String, AttributeValue> item = new HashMap<>(key);
        item.putAll(values);
        return item;
    }

    private static List<LastProcessed> entities(int number) {
        return IntStream.range(0, number)
                .mapToObj(i -> new LastProcessed("cart|" + i, i + 1, 1000 + i))
                .toList();
    }

    private static SliceOffset place(long timestamp) {
        return new SliceOffset(timestamp, Map.of(), 0);
    }

    @Test
    void entityRow_isTheGoldenOne() {
        await(offsets("carts").save(List.of(new LastProcessed("g", 7, 1_700_000_000_123_456L)), SetOffsets.NONE));
        assertThat(TestOffsets.items(direct, table))
                .containsExactly(item(
                        key("carts-103", "g"),
                        Map.of(
                                "seq_nr", AttributeValue.fromN("7"),
                                "ts", AttributeValue.fromN("1700000000123456"),
                                "saved", AttributeValue.fromN("0"))));
    }

    @Test
    void entityRowWithATimeToLive_expiresThatLongAfterItWasStored() {
        await(expiring(() -> NOW).save(List.of(new LastProcessed("g", 7, 5)), SetOffsets.NONE));
        assertThat(TestOffsets.items(direct, table))
                .containsExactly(item(
                        key("p-103", "g"),
                        Map.of(
                                "seq_nr", AttributeValue.fromN("7"),
                                "ts", AttributeValue.fromN("5"),
                                "saved", AttributeValue.fromN("0"),
                                "expiry", AttributeValue.fromN("1700003600"))));
    }

    @Test
    void entityRowOfATransaction_isTheSame_butForTheEpochInWhichItWasSaved() {
        await(expiring(() -> NOW).transact(List.of(), List.of(advance("g", 7, 7, 5)), SetOffsets.NONE));
        assertThat(TestOffsets.items(direct, table))
                .containsExactly(item(
                        key("p-103", "g"),
                        Map.of(
                                "seq_nr", AttributeValue.fromN("7"),
                                "ts", AttributeValue.fromN("5"),
                                "expiry", AttributeValue.fromN("1700003600"))));
    }

    @Test
    void sliceRow_isTheGoldenOneAndNeverExpires() {
        await(expiring(() -> NOW).save(Map.of(103, new SliceOffset(5, Map.of("g", 7L), 0)), SetOffsets.NONE));
        assertThat(TestOffsets.items(direct, table))
                .containsExactly(item(
                        key("p-103", "_"),
                        Map.of(
                                "ts",
                                AttributeValue.fromN("5"),
                                "seen",
                                AttributeValue.fromM(Map.of("g", AttributeValue.fromN("7"))),
                                "epoch",
                                AttributeValue.fromN("0"))));
    }

    @Test
    void sliceRowSetByHand_saysSo_andSoDoesARowThatProgressDoesNotTouch() {
        OffsetTable offsets =
                new OffsetTable(TestStore.on(client, table).gateway(), table, "p", OffsetSettings.DEFAULT, () -> NOW);
        await(offsets.set(Map.of(103, new SliceOffset(5, Map.of("g", 7L), 5))));
        AttributeValue seen = AttributeValue.fromM(Map.of("g", AttributeValue.fromN("7")));
        AttributeValue epoch = AttributeValue.fromN("1700000000000000");
        assertThat(TestOffsets.items(direct, table))
                .containsExactlyInAnyOrder(
                        item(
                                key("p-103", "_"),
                                Map.of(
                                        "ts",
                                        AttributeValue.fromN("5"),
                                        "seen",
                                        seen,
                                        "set_ts",
                                        AttributeValue.fromN("5"),
                                        "epoch",
                                        epoch)),
                        item(
                                key("p-103", "_set"),
                                Map.of("ts", AttributeValue.fromN("5"), "seen", seen, "epoch", epoch)),
                        item(
                                key("p-103", "g"),
                                Map.of(
                                        "seq_nr", AttributeValue.fromN("7"),
                                        "ts", AttributeValue.fromN("5"),
                                        "epoch", epoch)),
                        key("p-all", "_sets"));
        OffsetTable.Stored stored = await(offsets("p").read(0, 1023));
        assertThat(stored.places()).containsExactly(Map.entry(103, new SliceOffset(5, Map.of("g", 7L), 5)));
        assertThat(stored.sets().of(103)).isEqualTo(new SetOffset(1_700_000_000_000_000L, 5, Map.of("g", 7L)));
        assertThat(stored.sets().of(104)).isEqualTo(SetOffset.NONE);
    }

    @Test
    void managementRow_isTheGoldenOne() {
        await(offsets("p").setPaused(7, 7, true));
        assertThat(TestOffsets.items(direct, table))
                .containsExactly(item(key("p-7", "_mgmt"), Map.of("paused", AttributeValue.fromBool(true))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"carts", "carts-1", "1", "-", "carts-1-2", "1-1023", "ü☃"})
    void namesOfProjections_withDashesAndDigitsDoNotMix(String name) {
        for (String other :
                List.of("carts", "carts-1", "1", "-", "carts-1-2", "1-1023", "ü☃", name + "-1", name + "-")) {
            await(offsets(other)
                    .save(Map.of(12, place(other.equals(name) ? 11 : 12), 123, place(12)), SetOffsets.NONE));
            await(offsets(other).save(List.of(new LastProcessed("g", other.equals(name) ? 1 : 2, 1)), SetOffsets.NONE));
        }
        assertThat(await(offsets(name).read(12, 12)).places()).containsExactly(Map.entry(12, place(11)));
        assertThat(await(offsets(name).lastProcessed(List.of("g"), SetOffsets.NONE)))
                .containsExactly(Map.entry("g", new LastProcessed("g", 1, 1)));
        await(offsets(name).clear(0, 127));
        assertThat(await(offsets(name).read(0, 127)).places()).isEmpty();
        assertThat(await(offsets(name + "-1").read(0, 127)).places()).hasSize(2);
    }

    @Test
    void read_ofAllSlices_isElevenRequests() {
        Map<Integer, SliceOffset> places = IntStream.range(0, Slices.NUMBER)
                .boxed()
                .collect(Collectors.toMap(
                        slice -> slice, slice -> new SliceOffset(slice + 2, Map.of("x|" + slice, 1L), 0)));
        await(offsets("p").save(places, SetOffsets.NONE));
        proxy.requests().clear();
        OffsetTable.Stored stored = await(offsets("p").read(0, 1023));
        assertThat(stored.places()).isEqualTo(places);
        assertThat(stored.paused()).isFalse();
        List<String> expected = IntStream.range(0, 11)
                .mapToObj(i -> i < 10 ? "BatchGetItem(100)" : "BatchGetItem(90)")
                .toList();
        assertThat(requests()).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(proxy.requests().requests()).allMatch(request -> request.consistentRead());
    }

    @Test
    void read_ofARange_asksForNothingElse() {
        await(offsets("p").save(Map.of(63, place(11), 64, place(12), 127, place(13), 128, place(14)), SetOffsets.NONE));
        proxy.requests().clear();
        assertThat(await(offsets("p").read(64, 127)).places()).containsOnlyKeys(64, 127);
        assertThat(requests()).containsExactlyInAnyOrder("BatchGetItem(100)", "BatchGetItem(30)");
    }

    @Test
    void save_of25_isOneRequestWhateverTheSlices() {
        await(offsets("p").save(entities(25), SetOffsets.NONE));
        assertThat(requests()).containsExactly("BatchWriteItem(25)");
        proxy.requests().clear();
        await(offsets("p").save(List.of(), SetOffsets.NONE));
        await(offsets("p").save(Map.of(), SetOffsets.NONE));
        assertThat(requests()).isEmpty();
    }

    @Test
    void lastProcessed_ofAHundred_isOneConsistentRequest() {
        await(offsets("p").save(entities(60), SetOffsets.NONE));
        proxy.requests().clear();
        List<String> asked = IntStream.range(0, 100).mapToObj(i -> "cart|" + i).toList();
        assertThat(await(offsets("p").lastProcessed(asked, SetOffsets.NONE)).values())
                .containsExactlyInAnyOrderElementsOf(entities(60));
        assertThat(requests()).containsExactly("BatchGetItem(100)");
        assertThat(proxy.requests().requests().get(0).consistentRead()).isTrue();
    }

    @Test
    void whatStaysUnprocessed_isSentAgainAlone() {
        proxy.on(RequestMatch.operation("BatchWriteItem").times(1), Fault.unprocessed(10));
        proxy.on(RequestMatch.operation("BatchGetItem").times(1), Fault.unprocessed(3));
        await(offsets("p").save(entities(25), SetOffsets.NONE));
        List<String> asked = IntStream.range(0, 25).mapToObj(i -> "cart|" + i).toList();
        assertThat(await(offsets("p").lastProcessed(asked, SetOffsets.NONE))).hasSize(25);
        assertThat(requests())
                .containsExactly("BatchWriteItem(25)", "BatchWriteItem(10)", "BatchGetItem(25)", "BatchGetItem(3)");
    }

    @Test
    void throttling_isWaitedOut() {
        proxy.on(RequestMatch.any().times(2), Fault.throttle(ThrottleCode.PROVISIONED_THROUGHPUT_EXCEEDED));
        await(offsets("p").save(entities(1), SetOffsets.NONE));
        proxy.on(RequestMatch.operation("TransactWriteItems").times(1), Fault.cancelTransaction("ThrottlingError"));
        proxy.on(RequestMatch.operation("TransactWriteItems").times(2), Fault.cancelTransaction("TransactionConflict"));
        assertThat(await(offsets("p").transact(List.of(), List.of(advance("cart|0", 2, 2, 2)), SetOffsets.NONE)))
                .isInstanceOf(WriteResult.Applied.class);
        assertThat(requests()).hasSize(7);
        assertThat(await(offsets("p").lastProcessed(List.of("cart|0"), SetOffsets.NONE))
                        .values())
                .containsExactly(new LastProcessed("cart|0", 2, 2));
    }

    @Test
    void transaction_passesOnlyOnALowerNumber() {
        OffsetTable offsets = offsets("p");
        assertThat(transact(offsets, 5, 5)).isInstanceOf(WriteResult.Applied.class);
        assertThat(transact(offsets, 5, 5)).isInstanceOf(WriteResult.ConditionFailed.class);
        assertThat(transact(offsets, 4, 4)).isInstanceOf(WriteResult.ConditionFailed.class);
        assertThat(transact(offsets, 5, 8)).as("its first is stored").isInstanceOf(WriteResult.ConditionFailed.class);
        assertThat(transact(offsets, 6, 8)).isInstanceOf(WriteResult.Applied.class);
        assertThat(await(offsets.lastProcessed(List.of("g"), SetOffsets.NONE)).get("g"))
                .isEqualTo(new LastProcessed("g", 8, 80));
    }

    private static WriteResult transact(OffsetTable offsets, long first, long last) {
        return await(offsets.transact(List.of(), List.of(advance("g", last, first, last * 10)), SetOffsets.NONE));
    }

    @Test
    void transactionOfAnEntityThatBeginsAnew_passesOnlyOnARowThatIsOldEnough_andTheOldLifeCannotComeBack() {
        Duration after = Duration.ofNanos(400_000);
        OffsetTable offsets = TestOffsets.of(client, table, "p", OffsetSettings.DEFAULT.withAcceptResetAfter(after));
        LastProcessed anew = new LastProcessed("g", 1, 500);
        assertThat(transact(offsets, 1, 10)).isInstanceOf(WriteResult.Applied.class);
        assertThat(begin(offsets, anew)).as("not by more than that").isInstanceOf(WriteResult.ConditionFailed.class);
        assertThat(begin(offsets("p"), new LastProcessed("g", 1, 501)))
                .as("never by default")
                .isInstanceOf(WriteResult.ConditionFailed.class);
        assertThat(begin(offsets, new LastProcessed("g", 1, 501))).isInstanceOf(WriteResult.Applied.class);
        assertThat(begin(offsets, new LastProcessed("g", 1, 501)))
                .as("once")
                .isInstanceOf(WriteResult.ConditionFailed.class);
        assertThat(transact(offsets, 11, 11))
                .as("a higher number of the old life")
                .isInstanceOf(WriteResult.ConditionFailed.class);
        assertThat(await(offsets.transact(List.of(), List.of(advance("g", 2, 2, 502)), SetOffsets.NONE)))
                .isInstanceOf(WriteResult.Applied.class);
        assertThat(await(offsets.lastProcessed(List.of("g"), SetOffsets.NONE)).get("g"))
                .isEqualTo(new LastProcessed("g", 2, 502));
    }

    @Test
    void transactionOfALifeThatWasNoticedLater_passesByTheTimeOfTheEventThatBroughtIt_butOnNoYoungerRow() {
        Duration after = Duration.ofNanos(400_000);
        OffsetTable offsets = TestOffsets.of(client, table, "p", OffsetSettings.DEFAULT.withAcceptResetAfter(after));
        assertThat(transact(offsets, 1, 10)).isInstanceOf(WriteResult.Applied.class);
        LastProcessed first = new LastProcessed("g", 1, 101);
        assertThat(begin(offsets, new Advance(first, first, 500))).isInstanceOf(WriteResult.ConditionFailed.class);
        LastProcessed older = new LastProcessed("g", 1, 100);
        assertThat(begin(offsets, new Advance(older, older, 501))).isInstanceOf(WriteResult.ConditionFailed.class);
        assertThat(begin(offsets, new Advance(first, first, 501))).isInstanceOf(WriteResult.Applied.class);
    }

    private static WriteResult begin(OffsetTable offsets, Advance advance) {
        return await(offsets.transact(List.of(), List.of(advance), SetOffsets.NONE));
    }

    private static WriteResult begin(OffsetTable offsets, LastProcessed first) {
        return begin(offsets, Advance.of(first));
    }

    @Test
    void expiredRows_areGoneForReadersAndStillThereForConditions() {
        await(expiring(() -> NOW).save(List.of(new LastProcessed("g", 7, 5)), SetOffsets.NONE));
        OffsetTable before = expiring(() -> NOW.plusSeconds(3599));
        OffsetTable after = expiring(() -> NOW.plusSeconds(3600));
        assertThat(await(before.lastProcessed(List.of("g"), SetOffsets.NONE))).containsOnlyKeys("g");
        assertThat(await(after.lastProcessed(List.of("g"), SetOffsets.NONE))).isEmpty();
        assertThat(await(after.lastStored(List.of("g"), SetOffsets.NONE))).containsOnlyKeys("g");
        assertThat(await(after.transact(List.of(), List.of(advance("g", 7, 7, 5)), SetOffsets.NONE)))
                .isInstanceOf(WriteResult.ConditionFailed.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"_", "_mgmt"})
    void reservedPersistenceIds_areRefused(String persistenceId) {
        OffsetTable offsets = offsets("p");
        assertThatThrownBy(() -> await(offsets.save(List.of(new LastProcessed(persistenceId, 1, 1)), SetOffsets.NONE)))
                .isInstanceOf(VarveException.class)
                .hasMessageContaining("The persistence id '" + persistenceId + "' cannot be projected");
        assertThatThrownBy(() -> await(offsets.lastProcessed(List.of(persistenceId), SetOffsets.NONE)))
                .isInstanceOf(VarveException.class);
        assertThat(requests()).isEmpty();
    }

    @Test
    void longestPersistenceIdAndName_areStored_longerOnesAreRefused() {
        String id = "ü".repeat(512);
        String name = "n".repeat(2043);
        await(offsets(name).save(List.of(new LastProcessed(id, 1, 1), new LastProcessed("__", 2, 2)), SetOffsets.NONE));
        await(offsets(name).setPaused(1023, 1023, true));
        assertThat(await(offsets(name).lastProcessed(List.of(id, "__"), SetOffsets.NONE)))
                .hasSize(2);
        assertThatThrownBy(() -> await(offsets("p").lastProcessed(List.of(id + "x"), SetOffsets.NONE)))
                .isInstanceOf(VarveException.class)
                .hasMessageContaining("has 1025 bytes")
                .hasMessageContaining("1 to 1024");
        assertThatThrownBy(() -> offsets(name + "n"))
                .isInstanceOf(VarveException.class)
                .hasMessageContaining("has 2044 bytes")
                .hasMessageContaining("2043");
    }

    @Test
    void set_back_forgetsWhatWasProcessedFromThenOnAndKeepsTheRest() {
        OffsetTable offsets = offsets("p");
        List<String> ids = TestOffsets.ofSlice(5, 3);
        await(offsets.save(
                List.of(
                        new LastProcessed(ids.get(0), 1, 99),
                        new LastProcessed(ids.get(1), 2, 100),
                        new LastProcessed(ids.get(2), 3, 101),
                        new LastProcessed(TestOffsets.ofSlice(6, 1).get(0), 4, 200)),
                SetOffsets.NONE));
        await(offsets.save(Map.of(5, place(101), 6, place(200)), SetOffsets.NONE));
        await(offsets.setPaused(5, 5, true));
        await(offsets.set(Map.of(5, new SliceOffset(100, Map.of(), 100))));
        assertThat(TestOffsets.rows(direct, table, "seq_nr", "ts", "set_ts", "paused"))
                .isEqualTo(Map.of(
                        "p-all _sets",
                        "",
                        "p-5 _",
                        "ts=100 set_ts=100",
                        "p-5 _set",
                        "ts=100",
                        "p-5 _mgmt",
                        "paused=true",
                        "p-5 " + ids.get(0),
                        "seq_nr=1 ts=99",
                        "p-5 " + ids.get(1),
                        "",
                        "p-5 " + ids.get(2),
                        "",
                        "p-6 _",
                        "ts=200",
                        "p-6 " + TestOffsets.ofSlice(6, 1).get(0),
                        "seq_nr=4 ts=200"));
        SetOffsets sets = await(offsets.read(5, 5)).sets();
        assertThat(await(offsets.lastProcessed(ids, sets))).containsOnlyKeys(ids.get(0));
    }

    @Test
    void set_withWhatWasSeen_countsThatAsProcessed() {
        String id = TestOffsets.ofSlice(5, 1).get(0);
        await(offsets("p").set(Map.of(5, new SliceOffset(100, Map.of(id, 4L), 100))));
        SetOffsets sets = await(offsets("p").read(5, 5)).sets();
        assertThat(await(offsets("p").lastProcessed(List.of(id), sets)).values())
                .containsExactly(new LastProcessed(id, 4, 100));
    }

    @Test
    void clear_ofASliceWithMoreThanAPage_forgetsAllButThePause() {
        OffsetTable offsets = offsets("p");
        String name = "x".repeat(900);
        List<LastProcessed> many = IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> name + i)
                .filter(id -> Slices.of(id) == 5)
                .limit(1200)
                .map(id -> new LastProcessed(id, 1, 50))
                .toList();
        await(offsets.save(many, SetOffsets.NONE));
        await(offsets.save(Map.of(5, place(50), 4, place(10)), SetOffsets.NONE));
        await(offsets.setPaused(5, 5, true));
        proxy.requests().clear();
        await(offsets.set(Map.of(5, new SliceOffset(51, Map.of(), 51))));
        assertThat(requests()).as("pages").filteredOn("Query"::equals).hasSize(2);
        assertThat(TestOffsets.rows(direct, table, "seq_nr").values().stream().filter("seq_nr=1"::equals))
                .hasSize(1200);
        await(offsets.clear(5, 7));
        OffsetTable.Stored stored = await(offsets.read(4, 7));
        assertThat(stored.places()).containsOnlyKeys(4);
        assertThat(stored.paused()).isTrue();
        assertThat(TestOffsets.rows(direct, table, "seq_nr", "ts").values()).doesNotContain("seq_nr=1 ts=50");
        assertThat(await(offsets.lastProcessed(
                        many.stream().map(LastProcessed::persistenceId).toList(), stored.sets())))
                .isEmpty();
    }

    @Test
    void pauseAndResume_ofAllSlices() {
        OffsetTable offsets = offsets("p");
        await(offsets.save(Map.of(3, place(10)), SetOffsets.NONE));
        proxy.requests().clear();
        await(offsets.setPaused(0, 1023, true));
        assertThat(requests())
                .containsExactlyInAnyOrderElementsOf(IntStream.range(0, 41)
                        .mapToObj(i -> i < 40 ? "BatchWriteItem(25)" : "BatchWriteItem(24)")
                        .toList());
        assertThat(await(offsets.read(0, 1023)).paused()).isTrue();
        assertThat(await(offsets.read(17, 17)).paused())
                .as("of one of more instances")
                .isTrue();
        assertThat(await(offsets("other").read(0, 1023)).paused()).isFalse();
        await(offsets.setPaused(0, 1023, false));
        assertThat(await(offsets.read(0, 1023)).paused()).isFalse();
        assertThat(await(offsets.read(0, 1023)).places()).containsOnlyKeys(3);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 8, 16, 32, 64})
    void pauseOfOneInstance_isSeenByTheOneThatTakesOverAllSlices(int instances) {
        int slices = Slices.NUMBER / instances;
        int last = instances - 1;
        await(offsets("p").setPaused(last * slices, Slices.NUMBER - 1, true));
        assertThat(await(offsets("p").read(0, 1023)).paused()).isTrue();
    }

    private static Advance advance(String persistenceId, long last, long first, long timestamp) {
        return new Advance(
                new LastProcessed(persistenceId, last, timestamp),
                new LastProcessed(persistenceId, first, timestamp),
                timestamp);
    }

    @Test
    void transact_whereARowHasExpired_takesOnlyYoungerEventsWithALowerNumber() {
        await(expiring(() -> NOW).save(List.of(new LastProcessed("g", 7, 70)), SetOffsets.NONE));
        OffsetTable before = expiring(() -> NOW.plus(Duration.ofHours(1)).minusSeconds(1));
        OffsetTable after = expiring(() -> NOW.plus(Duration.ofHours(1)));
        assertThat(await(before.transact(List.of(), List.of(advance("g", 1, 1, 80)), SetOffsets.NONE)))
                .isInstanceOf(WriteResult.ConditionFailed.class);
        assertThat(await(after.transact(List.of(), List.of(advance("g", 1, 1, 70)), SetOffsets.NONE)))
                .isInstanceOf(WriteResult.ConditionFailed.class);
        assertThat(await(after.transact(List.of(), List.of(advance("g", 1, 1, 80)), SetOffsets.NONE)))
                .isInstanceOf(WriteResult.Applied.class);
        assertThat(await(after.lastStored(List.of("g"), SetOffsets.NONE)))
                .containsEntry("g", new LastProcessed("g", 1, 80));
    }
}
