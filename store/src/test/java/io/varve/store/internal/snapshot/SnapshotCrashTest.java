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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** A node that dies between any two of its requests, whether or not the last one took effect. */
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
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void save_whenCrashedBetweenAnyTwoRequests_leavesTheOlderSnapshotAndNothingForGood(
            boolean tookEffect, boolean nextIsADelete) {
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
            if (nextIsADelete) {
                survivor().delete(id, 5);
            } else {
                survivor().save(snapshot(id, 30, LARGE));
            }
            TestSnapshotStore.assertNothingIsOrphaned(direct, table, id);
            assertThat(survivor().load(id, upTo(29))).isEqualTo(loaded);
        }
        assertThat(crashes)
                .as("entry, five parts, head, list, the older one's head")
                .isGreaterThanOrEqualTo(9);
    }

    @ParameterizedTest
    @CsvSource({"true, 25000", "false, 25000", "true, 100", "false, 100"})
    void saveOfTheSameNumber_whenCrashedBetweenAnyTwoRequests_isTheOldOrTheNewOne(boolean tookEffect, int before) {
        int crashes = 0;
        boolean finished = false;
        while (!finished) {
            String id = "cart|" + crashes;
            survivor().save(snapshot(id, 10, before));
            finished = runAndDie(crashes++, tookEffect, store -> store.save(snapshot(id, 10, LARGE)));
            Optional<Snapshot> loaded = survivor().load(id);
            assertThat(loaded)
                    .as("crash at request %d", crashes)
                    .isIn(Optional.of(snapshot(id, 10, before)), Optional.of(snapshot(id, 10, LARGE)));
            survivor().delete(id, 5);
            TestSnapshotStore.assertNothingIsOrphaned(direct, table, id);
            assertThat(survivor().load(id)).isEqualTo(loaded);
        }
        assertThat(crashes).isGreaterThanOrEqualTo(8);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void delete_whenCrashedBetweenAnyTwoRequests_isFinishedByTheNext(boolean tookEffect) {
        int crashes = 0;
        boolean finished = false;
        while (!finished) {
            String id = "cart|" + crashes;
            TestSnapshotStore before = survivor();
            before.save(snapshot(id, 10, OLDER));
            before.save(snapshot(id, 20, LARGE));
            before.save(snapshot(id, 30, LARGE));
            finished = runAndDie(crashes++, tookEffect, store -> store.delete(id, upTo(20)));
            assertThat(survivor().load(id)).contains(snapshot(id, 30, LARGE));
            assertThat(survivor().load(id, upTo(29)))
                    .as("crash at request %d", crashes)
                    .isIn(Optional.of(snapshot(id, 20, LARGE)), Optional.empty());
            survivor().delete(id, upTo(20));
            TestSnapshotStore.assertNothingIsOrphaned(direct, table, id);
            assertThat(survivor().load(id, upTo(29))).isEmpty();
            assertThat(survivor().load(id)).contains(snapshot(id, 30, LARGE));
        }
        assertThat(crashes)
                .as("query, heads, list, and three requests for each set")
                .isGreaterThanOrEqualTo(9);
    }
}
