package io.varve.store.internal.snapshot;

import static io.varve.store.internal.snapshot.TestSnapshotStore.LARGE;
import static io.varve.store.internal.snapshot.TestSnapshotStore.snapshot;
import static io.varve.store.internal.snapshot.TestSnapshotStore.upTo;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.VarveException;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.FaultRule;
import io.varve.testkit.RequestMatch;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** A node that dies between any two requests of a save, whether or not the last one took effect. */
@ExtendWith(SnapshotFixture.Extension.class)
class SnapshotCrashTest {
    private static final int OLDER = LARGE + 3_000;

    private final FaultProxy proxy;
    private final DynamoDbAsyncClient client;
    private final DynamoDbAsyncClient direct;
    private final String table;

    SnapshotCrashTest(SnapshotFixture snapshots) {
        this.proxy = snapshots.proxy();
        this.client = snapshots.client();
        this.direct = snapshots.direct();
        this.table = snapshots.table();
    }

    private TestSnapshotStore survivor() {
        return TestSnapshotStore.on(direct, table).smallItems().later().build();
    }

    /** Runs the action on a node that is dead after so many requests; says whether it got to its end. */
    private boolean runAndDie(int requests, boolean tookEffect, Consumer<TestSnapshotStore> action) {
        Fault dead = Fault.error(400, "AccessDeniedException", "this node is dead");
        FaultRule death = proxy.on(RequestMatch.any().skip(requests).times(1), tookEffect ? Fault.resetAfter() : dead);
        proxy.on(RequestMatch.any().skip(requests), dead);
        try {
            action.accept(TestSnapshotStore.on(client, table)
                    .smallItems()
                    .oneAfterAnother()
                    .build());
        } catch (VarveException expected) {
            assertThat(expected).hasMessageContaining(table);
        }
        proxy.clear();
        return death.hits() == 0;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void saveThatCrashedBetweenAnyTwoRequests_isCleanedUpByADelete(boolean tookEffect) {
        int crashes = 0;
        boolean finished = false;
        while (!finished) {
            String id = "cart|" + crashes;
            survivor().save(snapshot(id, 10, OLDER));
            finished = runAndDie(crashes++, tookEffect, store -> store.save(snapshot(id, 20, LARGE)));

            Optional<Snapshot> loaded = survivor().load(id);
            assertThat(loaded)
                    .as("crash at request %d", crashes)
                    .isIn(Optional.of(snapshot(id, 10, OLDER)), Optional.of(snapshot(id, 20, LARGE)));
            assertThat(survivor().load(id, upTo(19))).contains(snapshot(id, 10, OLDER));
            survivor().delete(id, 5);
            TestSnapshotStore.assertNothingIsOrphaned(direct, table, id);
            assertThat(survivor().load(id, upTo(29))).isEqualTo(loaded);
        }
        assertThat(crashes)
                .as("entry, five parts, head, list, the older one's head")
                .isGreaterThanOrEqualTo(9);
    }
}
