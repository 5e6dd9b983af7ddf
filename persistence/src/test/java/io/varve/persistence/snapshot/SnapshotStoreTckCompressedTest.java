package io.varve.persistence.snapshot;

/** The TCK with compression. */
public final class SnapshotStoreTckCompressedTest extends SnapshotStoreTck {
    /** Called by ScalaTest. */
    public SnapshotStoreTckCompressedTest() {
        super("dynamodb-snapshot-store.compression = gzip");
    }
}
