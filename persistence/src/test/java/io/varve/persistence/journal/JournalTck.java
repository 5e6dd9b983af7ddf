package io.varve.persistence.journal;

import org.apache.pekko.persistence.CapabilityFlag;
import org.apache.pekko.persistence.japi.journal.JavaJournalSpec;

/** Pekko's TCK with every capability that it knows; the subclasses vary the configuration. */
abstract class JournalTck extends JavaJournalSpec {
    JournalTck(String more) {
        super(TestJournal.onNewTable(more));
    }

    @Override
    public CapabilityFlag supportsRejectingNonSerializableObjects() {
        return CapabilityFlag.on();
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
