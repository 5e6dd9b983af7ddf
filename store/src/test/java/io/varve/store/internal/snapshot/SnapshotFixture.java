package io.varve.store.internal.snapshot;

import io.varve.store.internal.TableFixture;
import io.varve.testkit.TableNames;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** An empty snapshot table for one test, as Varve creates it. */
final class SnapshotFixture extends TableFixture {
    private SnapshotFixture(DynamoDbAsyncClient direct) {
        super(TableNames.fresh().snapshots(), direct);
        TestSnapshotStore.createTable(table());
    }

    /** Gives each test its own. */
    static final class Extension extends TableFixture.Extension<SnapshotFixture> {
        Extension() {
            super(SnapshotFixture.class, SnapshotFixture::new);
        }
    }
}
