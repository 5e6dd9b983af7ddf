package io.varve.store.internal.delete;

import io.varve.store.internal.layout.LastWritten;
import io.varve.store.internal.replay.Marks;
import java.util.stream.LongStream;

/**
 * The numbers of a deletion.
 *
 * @param from where the earlier deletion began of which something may be left; otherwise {@code begin}
 * @param begin the first number that is not deleted yet
 * @param end the last number to delete; below {@code begin} if there is none
 * @param withHead whether the entity's last event is among them
 * @param timestamp the newest timestamp that the entity must keep
 */
record DeletedNumbers(long from, long begin, long end, boolean withHead, long timestamp) {

    static DeletedNumbers of(Marks marks, long to, long cleanTo, LastWritten head) {
        long begin = Math.max(1, marks.low());
        long end = Math.max(to, begin - 1);
        boolean mayBeUnfinished = marks.deleteFrom() > 0 && cleanTo < marks.low() - 1;
        return new DeletedNumbers(
                mayBeUnfinished ? marks.deleteFrom() : begin,
                begin,
                end,
                end >= head.sequenceNumber(),
                Math.max(head.timestamp(), marks.timestamp()));
    }

    boolean isEmpty() {
        return begin > end;
    }

    /** All but the head. */
    LongStream beforeHead() {
        return LongStream.rangeClosed(begin, lastBeforeHead());
    }

    /** The head, if it is among them. */
    LongStream head() {
        return LongStream.rangeClosed(lastBeforeHead() + 1, end);
    }

    private long lastBeforeHead() {
        return withHead && !isEmpty() ? end - 1 : end;
    }

    /** The low mark that says that they are deleted. */
    long low() {
        return end + 1;
    }
}
