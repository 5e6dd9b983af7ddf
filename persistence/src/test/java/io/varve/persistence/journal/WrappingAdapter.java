package io.varve.persistence.journal;

import java.util.Set;
import org.apache.pekko.persistence.journal.EventAdapter;
import org.apache.pekko.persistence.journal.EventSeq;
import org.apache.pekko.persistence.journal.Tagged;

/** Wraps texts on their way to the journal, tags those with a '#', and unwraps them: to none, one or several. */
public final class WrappingAdapter implements EventAdapter {
    @Override
    public String manifest(Object event) {
        return "version 1";
    }

    @Override
    public Object toJournal(Object event) {
        String text = (String) event;
        String wrapped = "<" + text + ">";
        return text.contains("#") ? new Tagged(wrapped, Set.of(text.substring(text.indexOf("#") + 1), "all")) : wrapped;
    }

    @Override
    public EventSeq fromJournal(Object event, String manifest) {
        String wrapped = (String) event;
        String text = wrapped.substring(1, wrapped.length() - 1) + " of " + manifest;
        if (text.startsWith("gone")) {
            return EventSeq.empty();
        }
        return text.startsWith("twice") ? EventSeq.create(text, text) : EventSeq.single(text);
    }
}
