package io.varve.store.internal.offset;

import static io.varve.store.internal.journal.TestStore.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.Slices;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.TableNames;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** That all rows of a projection are deleted, and only of one that is paused. */
@DynamoDBTest
class ProgressDeletionTest {
    private final FaultProxy proxy;
    private final DynamoDbAsyncClient client;
    private final DynamoDbAsyncClient direct;
    private final String table;

    ProgressDeletionTest(FaultProxy proxy, DynamoDbAsyncClient direct, TableNames names) {
        this.proxy = proxy;
        this.client = proxy.client();
        this.direct = direct;
        this.table = names.offsets();
    }

    @BeforeEach
    void create() {
        TestOffsets.create(direct, table);
        store("old");
        store("old-2");
        proxy.requests().clear();
    }

    @AfterEach
    void close() {
        client.close();
    }

    private OffsetTable offsets(String projection) {
        return TestOffsets.of(client, table, projection, OffsetSettings.DEFAULT.withEntityType("cart"));
    }

    /** Rows of all kinds, in slices 0..63. */
    private void store(String projection) {
        OffsetTable stored = offsets(projection);
        await(stored.start(0, 63, OptionalInt.of(16)));
        await(stored.set(Map.of(1, new SliceOffset(5, Map.of(), 5))));
        SetOffsets sets = await(stored.read(0, 63)).sets();
        await(stored.save(
                IntStream.range(0, 64)
                        .boxed()
                        .collect(Collectors.toMap(slice -> slice, slice -> new SliceOffset(9, Map.of(), 0))),
                sets));
        await(stored.save(
                IntStream.range(0, 64)
                        .mapToObj(slice -> TestOffsets.ofSlice(slice, 1).get(0))
                        .map(id -> new LastProcessed(id, 3, 9))
                        .toList(),
                sets));
    }

    private List<String> rowsOf(String projection) {
        return TestOffsets.items(direct, table).stream()
                .map(item -> Objects.requireNonNull(item.get("name_slice")).s())
                .filter(partition ->
                        partition.substring(0, partition.lastIndexOf('-')).equals(projection))
                .toList();
    }

    @Test
    void projectionThatIsNotPausedEverywhere_keepsAllItsRows_andTheErrorSaysWhatToDo() {
        int before = rowsOf("old").size();
        await(offsets("old").setPaused(0, 62, true));
        assertThatThrownBy(() -> await(offsets("old").deleteAll()))
                .hasMessageContaining("'old'")
                .hasMessageContaining("1 of its slices")
                .hasMessageContaining("old-63")
                .hasMessageContaining("Pause");
        assertThat(rowsOf("old")).hasSize(before + 63);
    }

    @Test
    void allRowsAreDeleted_andNoneOfOthers_withTwoQueriesForEachSlice() {
        List<String> others = rowsOf("old-2");
        await(offsets("old").setPaused(0, 63, true));
        proxy.requests().clear();
        await(offsets("old").deleteAll());
        assertThat(rowsOf("old")).isEmpty();
        assertThat(rowsOf("old-2")).isEqualTo(others);
        assertThat(proxy.requests()
                        .where(request -> request.operation().equals("Query"))
                        .size())
                .isEqualTo(2 * Slices.NUMBER + 2);
        assertThat(proxy.requests()
                        .where(request -> request.operation().equals("BatchWriteItem"))
                        .size())
                .as("one for each slice with rows, one for the projection, and its pauses by 25")
                .isEqualTo(64 + 1 + 3);
        await(offsets("old").deleteAll());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 30, 63, 64, 65, 66, 67})
    void deletionThatFailsHalfWay_isCompletedByTheNext(int writes) {
        await(offsets("old").setPaused(0, 63, true));
        proxy.on(
                RequestMatch.operation("BatchWriteItem").skip(writes),
                Fault.error(400, "ValidationException", "half-way"));
        assertThatThrownBy(() -> await(offsets("old").deleteAll())).hasMessageContaining("half-way");
        assertThat(rowsOf("old")).isNotEmpty();
        proxy.clear();
        await(offsets("old").deleteAll());
        assertThat(rowsOf("old")).isEmpty();
    }
}
