package io.varve.store.internal.replay;

import io.varve.store.internal.layout.Event;

/**
 * How far a scan has come.
 *
 * @param seen the last number that it has found an event for
 * @param next the number that it expects next
 * @param reach the last number that it looks at
 * @param end where {@code reach} cannot go beyond
 * @param left how many events it may still look at
 */
record ScanPosition(long seen, long next, long reach, long end, long left) {

    static ScanPosition of(EntityScan.Scope scope) {
        return new ScanPosition(
                scope.start() - 1,
                scope.start(),
                Math.min(scope.to(), scope.end()),
                scope.end(),
                scope.range().max());
    }

    boolean isAtEnd() {
        return !reaches(next);
    }

    /** Whether the scan still comes to this number. */
    boolean reaches(long number) {
        return number <= reach && left > 0;
    }

    /** After an event, which makes the scan look as far as its atomic write goes. */
    ScanPosition after(Event event) {
        return new ScanPosition(
                event.sequenceNumber(),
                event.sequenceNumber() + 1,
                Math.max(reach, Math.min(event.batchEnd(), end)),
                end,
                event.placeholder() ? left : left - 1);
    }

    /** After a group: nothing more is stored before this number. */
    ScanPosition notBefore(long number) {
        return new ScanPosition(seen, Math.max(next, number), reach, end, left);
    }

    /** At a number that was passed, with so many events to look at again. */
    ScanPosition backTo(long number, int events) {
        return new ScanPosition(number - 1, number, reach, end, left + events);
    }
}
