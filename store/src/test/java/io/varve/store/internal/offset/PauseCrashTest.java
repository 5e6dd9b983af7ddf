package io.varve.store.internal.offset;

import static io.varve.store.internal.journal.TestStore.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.VarveException;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.TableNames;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** A node that dies after some of the rows of a pause, and of its end. */
@DynamoDBTest
class PauseCrashTest {
    private static final int LAST_SLICE = 127;

    private final FaultProxy proxy;
    private final DynamoDbAsyncClient client;
    private final DynamoDbAsyncClient direct;
    private final String table;

    PauseCrashTest(FaultProxy proxy, DynamoDbAsyncClient direct, TableNames names) {
        this.proxy = proxy;
        this.client = proxy.client();
        this.direct = direct;
        this.table = names.offsets();
    }

    @AfterEach
    void close() {
        client.close();
    }

    private void dies(int survive, boolean paused) {
        proxy.on(RequestMatch.any().skip(survive), Fault.error(400, "ValidationException", "dead"));
        OffsetTable dying = TestOffsets.of(client, table, "p");
        assertThatThrownBy(() -> await(dying.setPaused(0, LAST_SLICE, paused))).isInstanceOf(VarveException.class);
        proxy.clear();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 5})
    void pauseAgain_completesIt_andAProjectionIsRatherPaused(int survive) {
        TestOffsets.create(direct, table);
        dies(survive, true);
        OffsetTable offsets = TestOffsets.of(direct, table, "p");
        await(offsets.setPaused(0, LAST_SLICE, true));
        assertThat(await(offsets.read(0, LAST_SLICE)).paused()).isTrue();
        dies(survive, false);
        assertThat(await(offsets.read(0, LAST_SLICE)).paused())
                .as("rather paused")
                .isTrue();
        await(offsets.setPaused(0, LAST_SLICE, false));
        assertThat(await(offsets.read(0, LAST_SLICE)).paused()).isFalse();
    }
}
