package io.varve.store.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.engine.TestEngine;
import io.varve.store.internal.append.AppendRequest;
import io.varve.store.internal.append.AppendResult;
import io.varve.store.internal.table.TableCreator;
import io.varve.store.table.TableOptions;
import io.varve.store.table.Tables;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.TableNames;
import io.varve.testkit.internal.comparison.CapacityComparison;
import io.varve.testkit.internal.engine.DynamoDBEngine;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** A journal's life on each engine: writes of all kinds, a second writer, what is too large, recovery and deletion. */
abstract class EngineStoreContract {
    private static final String ID = "cart|1";

    private final FaultProxy proxy;
    private final DynamoDbAsyncClient client;
    private final String table = TableNames.fresh().journal();
    private final CapacityComparison capacities;

    EngineStoreContract(DynamoDBEngine engine) {
        TestEngine running = TestEngine.of(engine);
        this.proxy = FaultProxy.start(running.endpoint());
        this.client = proxy.client();
        this.capacities = CapacityComparison.of(proxy, engine);
        TestStore.await(new TableCreator(TestStore.on(client, table).gateway(), Duration.ofSeconds(30))
                .create(Tables.journal(table), TableOptions.DEFAULT));
    }

    @AfterEach
    void close() {
        client.close();
        proxy.close();
    }

    private TestStore node() {
        return TestStore.on(client, table).indexed().build();
    }

    private static List<Long> upTo(long last) {
        return LongStream.rangeClosed(1, last).boxed().toList();
    }

    @Test
    void writesOfAllKinds_areReplayedAndDeleted() {
        TestStore store = node();
        store.appendSingles(ID, 1, 3);
        store.append(ID, 4, 13);
        store.append(ID, 14, 190);
        assertThat(node().recoveredNumbers(ID)).isEqualTo(upTo(190));
        store.delete(ID, 185);
        assertThat(node().recoveredNumbers(ID))
                .isEqualTo(LongStream.rangeClosed(186, 190).boxed().toList());
        CapacityComparison.Result result = capacities.result();
        assertThat(result.different()).isEmpty();
        assertThat(result.compared()).isGreaterThan(10);
    }

    @Test
    void slowerWriter_isRefused() {
        TestStore first = node();
        TestStore second = node();
        first.append(ID, 1, 1);
        assertThat(second.highest(ID)).isEqualTo(1);
        second.append(ID, 2, 4);
        assertThatThrownBy(() -> first.append(ID, 2, 2)).hasMessageContaining(ID);
        assertThatThrownBy(() -> first.append(ID, 2, 3)).hasMessageContaining(ID);
        assertThat(node().recoveredNumbers(ID)).isEqualTo(upTo(4));
    }

    @Test
    void eventThatIsTooLarge_isRejected_andTheNextOneStored() {
        TestStore store = node();
        store.append(ID, 1, 1);
        AppendRequest large = new AppendRequest(ID, List.of(store.event(2, "x".repeat(400 * 1024))));
        assertThat(TestStore.await(store.appendAsync(ID, large)).get(0)).isInstanceOf(AppendResult.Rejected.class);
        AppendRequest largest = new AppendRequest(ID, List.of(store.event(3, "x".repeat(399 * 1024))));
        assertThat(TestStore.await(store.appendAsync(ID, largest)).get(0)).isInstanceOf(AppendResult.Stored.class);
        assertThat(node().recoveredNumbers(ID)).containsExactly(1L, 3L);
    }
}
