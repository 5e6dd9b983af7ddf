package io.varve.store.internal.offset;

import static io.varve.store.internal.journal.TestStore.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.TableNames;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Where slices begin: at their own places, whatever instances, entity types and older versions have stored of others. */
@DynamoDBTest
class OffsetStartTest {
    private static final OptionalInt FOUR = OptionalInt.of(4);

    private final DynamoDbAsyncClient client;
    private final String table;
    private final OffsetTable offsets;

    OffsetStartTest(DynamoDbAsyncClient client, TableNames names) {
        this.client = client;
        this.table = names.offsets();
        this.offsets = TestOffsets.of(client, table, "p");
    }

    @BeforeEach
    void create() {
        TestOffsets.create(client, table);
    }

    private static SliceOffset place(long timestamp) {
        return new SliceOffset(timestamp, Map.of(), 0);
    }

    private void save(Map<Integer, SliceOffset> places) {
        await(offsets.save(places, SetOffsets.NONE));
    }

    /** Stores places as a version does that knows no epochs. */
    private void saveAsOlder(Map<Integer, Long> timestamps) {
        timestamps.forEach((slice, timestamp) -> client.putItem(put -> put.tableName(table)
                        .item(Map.of(
                                "name_slice", AttributeValue.fromS("p-" + slice),
                                "pid", AttributeValue.fromS("_"),
                                "ts", AttributeValue.fromN(timestamp.toString()),
                                "seen", AttributeValue.fromM(Map.of()))))
                .join());
    }

    private Map<Integer, Long> start(int min, int max, OptionalInt perShard) {
        return timestamps(await(offsets.start(min, max, perShard)));
    }

    private static Map<Integer, Long> timestamps(OffsetTable.Stored stored) {
        return new TreeMap<>(stored.places().entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> entry.getValue().timestamp())));
    }

    private int rows() {
        return TestOffsets.items(client, table).size();
    }

    @Test
    void sliceWithoutARow_isAtItsBeginning_whateverItsNeighboursHave() {
        save(Map.of(0, place(100), 5, place(200)));
        for (OptionalInt perShard : List.of(FOUR, OptionalInt.empty())) {
            assertThat(start(0, 7, perShard)).isEqualTo(Map.of(0, 100L, 5, 200L));
        }
        assertThat(rows()).as("nothing had to be stored").isEqualTo(2);
    }

    @Test
    void whereAnOlderVersionWas_slicesWithoutARowBeginAtTheirBeginning_andHaveRowsFromThenOn() {
        saveAsOlder(Map.of(0, 300L, 2, 100L, 5, 200L));
        assertThat(start(0, 11, FOUR)).isEqualTo(Map.of(0, 300L, 2, 100L, 5, 200L));
        assertThat(rows()).as("none of the shard of which it has left nothing").isEqualTo(8);
        assertThat(start(0, 11, FOUR)).isEqualTo(Map.of(0, 300L, 2, 100L, 5, 200L));
    }

    /** An instance of slices 0 and 1 was ahead, one of 2 and 3 had not stored anything. */
    @Test
    void whereAnOlderVersionWas_andInstancesBecomeFewerWithTheUpgrade_noBacklogIsLost() {
        saveAsOlder(Map.of(0, 300L, 1, 300L));
        assertThat(start(0, 3, FOUR)).isEqualTo(Map.of(0, 300L, 1, 300L));
    }

    @Test
    void whereAnOlderVersionWas_andTheShardsAreNotKnown_itsRowsCountForTheirSlicesAlone() {
        saveAsOlder(Map.of(0, 300L, 5, 200L));
        assertThat(start(0, 7, OptionalInt.empty())).isEqualTo(Map.of(0, 300L, 5, 200L));
        assertThat(rows()).isEqualTo(8);
    }

    @Test
    void backlogOfOneInstance_isNotLostWhenAnotherTakesItOver_besideRowsOfAnOlderVersion() {
        assertThat(start(2, 3, FOUR)).isEmpty();
        saveAsOlder(Map.of(0, 300L));
        assertThat(start(0, 3, FOUR)).isEqualTo(Map.of(0, 300L));
    }

    @Test
    void instancesThatBecomeFewer_findTheBacklogOfEach() {
        start(0, 1, FOUR);
        start(2, 3, FOUR);
        save(Map.of(0, place(300), 1, place(300)));
        assertThat(start(0, 3, FOUR)).isEqualTo(Map.of(0, 300L, 1, 300L));
    }

    @Test
    void instancesThatBecomeMore_findWhatTheWholeHasStored() {
        save(IntStream.range(0, 4).boxed().collect(Collectors.toMap(slice -> slice, slice -> place(100 + slice))));
        assertThat(start(2, 3, FOUR)).isEqualTo(Map.of(2, 102L, 3, 103L));
    }

    private OffsetTable ofType(String type) {
        return TestOffsets.of(client, table, "p", OffsetSettings.DEFAULT.withEntityType(type));
    }

    @Test
    void entityTypesUnderOneName_haveTheirOwnPlacesPausesAndSetOffsets() {
        OffsetTable carts = ofType("cart");
        OffsetTable orders = ofType("order");
        assertThat(await(carts.start(0, 3, FOUR)).places()).isEmpty();
        assertThat(await(orders.start(0, 3, FOUR)).places()).isEmpty();
        await(carts.save(Map.of(1, place(100)), SetOffsets.NONE));
        await(orders.save(Map.of(1, place(900), 2, place(900)), SetOffsets.NONE));
        assertThat(timestamps(await(ofType("cart").start(0, 3, FOUR)))).isEqualTo(Map.of(1, 100L));
        assertThat(timestamps(await(ofType("order").start(0, 3, FOUR)))).isEqualTo(Map.of(1, 900L, 2, 900L));

        await(orders.setPaused(0, 3, true));
        assertThat(await(carts.isPaused(0, 3))).isFalse();
        assertThat(await(ofType("order").isPaused(0, 3))).isTrue();

        String cart = TestOffsets.ofSlice(1, 1).get(0);
        await(carts.save(List.of(new LastProcessed(cart, 3, 100)), SetOffsets.NONE));
        await(orders.clear(0, 3));
        assertThat(timestamps(await(ofType("cart").start(0, 3, FOUR)))).isEqualTo(Map.of(1, 100L));
        assertThat(await(carts.lastProcessed(
                        List.of(cart), await(carts.read(0, 3)).sets())))
                .containsOnlyKeys(cart);
        assertThat(await(ofType("order").start(0, 3, FOUR)).places()).isEmpty();
    }

    @Test
    void rowThatAnotherTypeHasWrittenBeforeItWasKnownWhoseItIs_isNotTakenForOnesOwn() {
        OffsetTable carts = ofType("cart");
        OffsetTable orders = ofType("order");
        await(orders.save(Map.of(1, place(900)), SetOffsets.NONE));
        await(carts.save(Map.of(2, place(100)), SetOffsets.NONE));
        assertThat(timestamps(await(carts.start(0, 3, FOUR)))).isEqualTo(Map.of(2, 100L));
    }

    @Test
    void typeThatIsNotKnown_goesOnWithTheRowsOfTheFirst() {
        await(ofType("cart").start(0, 3, FOUR));
        await(ofType("cart").save(Map.of(1, place(100)), SetOffsets.NONE));
        assertThat(start(0, 3, OptionalInt.empty())).isEqualTo(Map.of(1, 100L));
    }
}
