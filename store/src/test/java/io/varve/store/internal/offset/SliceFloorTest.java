package io.varve.store.internal.offset;

import static io.varve.store.internal.journal.TestStore.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.TableNames;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** What the row of a slice says of its neighbours, and when it counts. */
@DynamoDBTest
class SliceFloorTest {
    private final DynamoDbAsyncClient client;
    private final String table;
    private final OffsetTable offsets;

    SliceFloorTest(DynamoDbAsyncClient client, TableNames names) {
        this.client = client;
        this.table = names.offsets();
        this.offsets = TestOffsets.of(client, table, "p");
    }

    @BeforeEach
    void create() {
        TestOffsets.create(client, table);
    }

    private static SliceOffset place(long timestamp) {
        return new SliceOffset(timestamp, Map.of("a", 3L), 0);
    }

    private void save(int slice, long timestamp, long floor, SetOffsets sets) {
        await(offsets.save(Map.of(slice, place(timestamp)), Map.of(slice, new SliceFloor(floor, 0, 15)), sets));
    }

    private long floor(int slice) {
        return await(offsets.reach(0, 31))
                .getOrDefault(slice, SliceReach.BEGINNING)
                .floor();
    }

    @Test
    void row_isTheGoldenOne() {
        save(4, 100, 99, SetOffsets.NONE);
        assertThat(TestOffsets.items(client, table))
                .containsExactly(Map.of(
                        "name_slice", AttributeValue.fromS("p-4"),
                        "pid", AttributeValue.fromS("_"),
                        "ts", AttributeValue.fromN("100"),
                        "seen", AttributeValue.fromM(Map.of("a", AttributeValue.fromN("3"))),
                        "epoch", AttributeValue.fromN("0"),
                        "floor", AttributeValue.fromN("99"),
                        "floor_from", AttributeValue.fromN("0"),
                        "floor_to", AttributeValue.fromN("15")));
    }

    @Test
    void highestFloor_countsForItsSlices_andForNoOthers() {
        save(4, 100, 99, SetOffsets.NONE);
        save(5, 90, 80, SetOffsets.NONE);
        assertThat(floor(0)).isEqualTo(99);
        assertThat(floor(5)).isEqualTo(99);
        assertThat(floor(15)).isEqualTo(99);
        assertThat(floor(16)).isZero();
    }

    @Test
    void floorFromBeforeASliceWasSetBack_doesNotCountForIt_norOneOfANeighbourThatWasNotSet() {
        save(4, 100, 99, SetOffsets.NONE);
        await(offsets.set(Map.of(3, new SliceOffset(10, Map.of(), 10))));
        assertThat(floor(3)).isZero();
        assertThat(floor(2)).isEqualTo(99);
        SetOffsets sets = await(offsets.read(0, 15)).sets();
        save(3, 50, 49, sets);
        assertThat(floor(3)).isEqualTo(49);
        assertThat(floor(2)).isEqualTo(99);
    }

    @Test
    void floorOfAnInstanceThatDoesNotKnowWhatWasSet_doesNotCount() {
        await(offsets.set(Map.of(3, new SliceOffset(10, Map.of(), 10), 4, new SliceOffset(10, Map.of(), 10))));
        save(4, 100, 99, SetOffsets.NONE);
        assertThat(floor(3)).isZero();
        assertThat(floor(4)).isZero();
    }

    @Test
    void reach_coversWhatIsAtItsPlaceByNumber_andAllThatIsBefore() {
        SliceReach reach = new SliceReach(place(100), 98);
        assertThat(reach.covers("b", 1, 99)).isTrue();
        assertThat(reach.covers("a", 3, 100)).isTrue();
        assertThat(reach.covers("a", 4, 100)).isFalse();
        assertThat(reach.covers("b", 1, 100)).isFalse();
        assertThat(reach.covers("a", 3, 101)).isFalse();
        assertThat(new SliceReach(place(100), 200).covers("b", 1, 200)).isTrue();
        assertThat(new SliceReach(place(100), 200).covers("b", 1, 201)).isFalse();
        assertThat(new SliceReach(place(100), 200).from()).isEqualTo(201);
        assertThat(reach.from()).isEqualTo(100);
    }
}
