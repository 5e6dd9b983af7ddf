package io.varve.persistence.query;

import org.apache.pekko.persistence.journal.EventSeq;
import org.apache.pekko.persistence.journal.ReadEventAdapter;

/** An event adapter that fails. */
public final class BrokenAdapter implements ReadEventAdapter {
    @Override
    public EventSeq fromJournal(Object event, String manifest) {
        throw new IllegalStateException("it is broken");
    }
}
