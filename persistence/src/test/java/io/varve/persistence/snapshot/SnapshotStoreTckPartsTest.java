package io.varve.persistence.snapshot;

/** The TCK with snapshots that need parts. */
public final class SnapshotStoreTckPartsTest extends SnapshotStoreTck {
    /** Called by ScalaTest. */
    public SnapshotStoreTckPartsTest() {
        super("dynamodb-snapshot-store.aws-api-limits.max-item-size = 10000");
    }
}
