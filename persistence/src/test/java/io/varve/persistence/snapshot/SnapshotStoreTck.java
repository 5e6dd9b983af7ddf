package io.varve.persistence.snapshot;

import org.apache.pekko.persistence.CapabilityFlag;
import org.apache.pekko.persistence.japi.snapshot.JavaSnapshotStoreSpec;

/** Pekko's TCK with every capability that it knows; the subclasses vary the configuration. */
abstract class SnapshotStoreTck extends JavaSnapshotStoreSpec {
    SnapshotStoreTck(String more) {
        super(TestSnapshots.onNewTables(more));
    }

    @Override
    public CapabilityFlag supportsSerialization() {
        return CapabilityFlag.on();
    }

    @Override
    public CapabilityFlag supportsMetadata() {
        return CapabilityFlag.on();
    }
}
