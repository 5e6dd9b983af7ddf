package io.varve.store.internal.offset;

import static io.varve.store.internal.journal.TestStore.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.VarveException;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.TableNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** Operations by hand that die between any two of their requests: what is there stays usable, and doing them again completes them. */
@DynamoDBTest
class OffsetCrashTest {
    private static final int ENTITIES = 60;

    private final FaultProxy proxy;
    private final DynamoDbAsyncClient client;
    private final DynamoDbAsyncClient direct;
    private final String table;

    OffsetCrashTest(FaultProxy proxy, DynamoDbAsyncClient direct, TableNames names) {
        this.proxy = proxy;
        this.client = proxy.client();
        this.direct = direct;
        this.table = names.offsets();
    }

    @BeforeEach
    void create() {
        TestOffsets.create(client, table);
        List<LastProcessed> entities = new ArrayList<>();
        for (int slice = 5; slice <= 6; slice++) {
            for (String id : TestOffsets.ofSlice(slice, ENTITIES)) {
                entities.add(new LastProcessed(id, 1, entities.size() % 2 == 0 ? 50 : 150));
            }
        }
        await(TestOffsets.of(direct, table, "p").save(entities, SetOffsets.NONE));
        await(TestOffsets.of(direct, table, "p")
                .save(
                        Map.of(5, new SliceOffset(150, Map.of(), 0), 6, new SliceOffset(150, Map.of(), 0)),
                        SetOffsets.NONE));
    }

    @AfterEach
    void close() {
        client.close();
    }

    /** Runs an operation whose requests get through so many times; returns whether it needed more. */
    private boolean dies(int survive, Function<OffsetTable, CompletionStage<Void>> operation) {
        proxy.on(RequestMatch.any().skip(survive), Fault.error(400, "ValidationException", "dead"));
        try {
            await(operation.apply(TestOffsets.of(client, table, "p")));
            return false;
        } catch (VarveException dead) {
            return true;
        } finally {
            proxy.clear();
        }
    }

    /** How many entities have processed something, by the time of it. */
    private Map<String, Long> processed() {
        return TestOffsets.rows(direct, table, "seq_nr", "ts").values().stream()
                .filter(row -> row.startsWith("seq_nr"))
                .collect(Collectors.groupingBy(row -> row, Collectors.counting()));
    }

    private OffsetTable.Stored stored() {
        return await(TestOffsets.of(direct, table, "p").read(5, 6));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8})
    void set_again_completesIt(int survive) {
        Map<Integer, SliceOffset> places =
                Map.of(5, new SliceOffset(100, Map.of(), 100), 6, new SliceOffset(100, Map.of(), 100));
        assertThat(dies(survive, offsets -> offsets.set(places))).isTrue();
        assertThat(processed()).containsEntry("seq_nr=1 ts=50", (long) ENTITIES);
        assertThat(stored().places().values())
                .hasSize(2)
                .allMatch(place -> place.timestamp() == (survive < 2 ? 150 : 100));
        await(TestOffsets.of(client, table, "p").set(places));
        assertThat(processed()).isEqualTo(Map.of("seq_nr=1 ts=50", (long) ENTITIES));
        assertThat(stored().places()).isEqualTo(places);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8})
    void clear_again_completesIt(int survive) {
        assertThat(dies(survive, offsets -> offsets.clear(5, 6))).isTrue();
        assertThat(stored().places()).hasSize(survive < 2 ? 2 : 0);
        await(TestOffsets.of(client, table, "p").clear(5, 6));
        assertThat(processed()).isEmpty();
        assertThat(stored().places()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 20, 40})
    void pause_again_completesIt_andSoDoesResume(int survive) {
        assertThat(dies(survive, offsets -> offsets.setPaused(0, 1023, true))).isTrue();
        OffsetTable offsets = TestOffsets.of(direct, table, "p");
        await(offsets.setPaused(0, 1023, true));
        assertThat(await(offsets.read(0, 1023)).paused()).isTrue();
        assertThat(dies(survive, dying -> dying.setPaused(0, 1023, false))).isTrue();
        assertThat(await(offsets.read(0, 1023)).paused()).as("rather paused").isTrue();
        await(offsets.setPaused(0, 1023, false));
        assertThat(await(offsets.read(0, 1023)).paused()).isFalse();
    }
}
