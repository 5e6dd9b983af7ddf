package io.varve.store.internal.snapshot;

import static io.varve.store.internal.snapshot.TestSnapshotStore.LARGE;
import static io.varve.store.internal.snapshot.TestSnapshotStore.between;
import static io.varve.store.internal.snapshot.TestSnapshotStore.snapshot;
import static io.varve.store.internal.snapshot.TestSnapshotStore.upTo;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.TableNames;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** What a delete removes: all that matches, and nothing else. */
@DynamoDBTest
class SnapshotDeleteTest {
    private static final String ID = "cart|1";

    private final DynamoDbAsyncClient client;
    private final String table;

    SnapshotDeleteTest(DynamoDbAsyncClient client, TableNames names) {
        this.client = client;
        this.table = names.snapshots();
    }

    private TestSnapshotStore node() {
        return TestSnapshotStore.on(client, table).smallItems().build();
    }

    private List<Long> stored() {
        return TestSnapshotStore.scan(client, table).stream()
                .filter(item -> TestSnapshotStore.text(item, "par").equals(TestSnapshotStore.KEYS.partition(ID)))
                .map(item -> TestSnapshotStore.number(item, "seq"))
                .sorted()
                .toList();
    }

    @Test
    void deleteOne_removesThatOneAndItsParts() {
        TestSnapshotStore.createTable(table);
        TestSnapshotStore store = node();
        store.save(snapshot(ID, 1, LARGE));
        store.save(snapshot(ID, 2, 10));
        store.save(snapshot(ID, 3, LARGE));
        store.delete(ID, 3);
        assertThat(stored()).containsExactly(1L, 2L);
        store.delete(ID, 2);
        assertThat(store.load(ID)).contains(snapshot(ID, 1, LARGE));
        store.delete(ID, 7);
        store.delete(ID, 1);
        assertThat(TestSnapshotStore.scan(client, table)).as("nothing is left").isEmpty();
    }

    @Test
    void deleteByCriteria_removesWhatIsWithinAllBounds() {
        TestSnapshotStore.createTable(table);
        TestSnapshotStore store = node();
        for (long n = 1; n <= 10; n++) {
            store.save(snapshot(ID, n, Instant.ofEpochMilli(100 - n), n % 3 == 0 ? LARGE : 10));
        }
        store.save(snapshot("cart|2", 5, LARGE));
        store.delete(ID, between(2, 8, 93, 97));
        assertThat(stored()).as("3 to 7 have timestamps 97 to 93").containsExactly(1L, 2L, 8L, 9L, 10L);
        store.delete(ID, between(5, 4, 0, 1000));
        store.delete(ID, between(0, 100, 1000, 0));
        assertThat(stored()).as("nothing is between bounds that are crossed").hasSize(5);
        store.delete(ID, upTo(9));
        assertThat(stored()).containsExactly(10L);
        TestSnapshotStore.assertNothingIsOrphaned(client, table, ID);
        assertThat(store.load("cart|2")).contains(snapshot("cart|2", 5, LARGE));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void deleteByCriteria_ofMoreThanOneMegabyte_removesAll(boolean predecessors) {
        if (predecessors) {
            TestSnapshotStore.createPredecessorsTable(table);
        } else {
            TestSnapshotStore.createTable(table);
        }
        TestSnapshotStore store = TestSnapshotStore.on(client, table).build();
        for (long n = 1; n <= 27; n++) {
            store.save(snapshot(ID, n, 150_000));
        }
        store.delete(ID, upTo(26));
        assertThat(stored()).as("B11").containsExactly(27L);
    }

    @Test
    void delete_ofOneEntity_leavesPartsOfAnotherWhoseKeysLookAlike() {
        TestSnapshotStore.createTable(table);
        TestSnapshotStore store = node();
        store.save(snapshot("cart", 5, LARGE));
        String partition = TestSnapshotStore.scan(client, table).stream()
                .filter(item -> item.containsKey("part_key"))
                .map(item -> TestSnapshotStore.text(item, "part_key"))
                .findFirst()
                .orElseThrow();
        String lookAlike = partition.substring("journal-PART-".length());
        store.delete(lookAlike, TestSnapshotStore.ALL);
        store.delete(lookAlike + "-0", TestSnapshotStore.ALL);
        assertThat(store.load("cart")).contains(snapshot("cart", 5, LARGE));
    }
}
