package io.varve.interop;

import static org.assertj.core.api.Assertions.fail;

import io.varve.interop.peer.Recovered.Event;
import java.util.ArrayList;
import java.util.List;

/** In what a recovery differs from what it should be, said in a few words although both have hundreds of events. */
final class Difference {

    private Difference() {}

    static void assertSame(String persistenceId, List<Event> actual, List<Event> expected) {
        if (!actual.equals(expected)) {
            List<Event> missing = new ArrayList<>(expected);
            missing.removeAll(actual);
            List<Event> unexpected = new ArrayList<>(actual);
            unexpected.removeAll(expected);
            fail(
                    "%s recovered %d events instead of %d: missing %s, unexpected %s%s",
                    persistenceId,
                    actual.size(),
                    expected.size(),
                    ranges(missing),
                    unexpected,
                    missing.isEmpty() && unexpected.isEmpty() ? ", in this order: " + ranges(actual) : "");
        }
    }

    /** The sequence numbers, neighbours drawn together: 1-99 101. */
    private static String ranges(List<Event> events) {
        StringBuilder text = new StringBuilder();
        long previous = -1;
        long start = -1;
        for (Event event : events) {
            if (event.sequenceNumber() != previous + 1) {
                append(text, start, previous);
                start = event.sequenceNumber();
            }
            previous = event.sequenceNumber();
        }
        append(text, start, previous);
        return "[" + text.toString().strip() + "]";
    }

    private static void append(StringBuilder text, long start, long end) {
        if (start >= 0) {
            text.append(start == end ? " " + start : " " + start + "-" + end);
        }
    }
}
