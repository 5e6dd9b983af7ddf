package io.varve.store.internal.append;

import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.LastWritten;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The numbers between an entity's head and its next write, whose events were rejected.
 *
 * <p>A number that stays free behind the head is open to whoever is late: a stale writer, or a write that was reported as failed.
 * So the next write that is stored fills them with placeholders. Their timestamps follow the head's, so that they do not depend on
 * when and in how many requests they are written.
 *
 * @param next the first number of the write
 */
record FreeNumbers(String persistenceId, String writer, LastWritten head, long next) {
    /** So many are never rejected in a row; a longer gap means that the events were removed, and is left alone. */
    static final int MOST = 100_000;

    static FreeNumbers before(AppendRequest write, LastWritten head) {
        return new FreeNumbers(
                write.persistenceId(), write.events().get(0).writer(), head, write.firstSequenceNumber());
    }

    int count() {
        long free = next - head.sequenceNumber() - 1;
        return free < 0 || free > MOST ? 0 : (int) free;
    }

    /** The head when they are filled. */
    LastWritten filled() {
        return new LastWritten(head.sequenceNumber() + count(), head.timestamp() + count(), head.assumed());
    }

    Stream<Event> placeholders() {
        return LongStream.rangeClosed(1, count())
                .mapToObj(
                        i -> Event.placeholder(persistenceId, head.sequenceNumber() + i, writer, head.timestamp() + i));
    }
}
