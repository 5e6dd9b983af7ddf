package io.varve.persistence.snapshot;

/** The TCK with the default settings. */
public final class SnapshotStoreTckTest extends SnapshotStoreTck {
    /** Called by ScalaTest. */
    public SnapshotStoreTckTest() {
        super("");
    }
}
