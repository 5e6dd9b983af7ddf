package io.varve.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.interop.peer.JournalDriver;
import io.varve.interop.peer.JournalDriverException;
import io.varve.interop.peer.Recovered;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.LongFunction;
import java.util.stream.LongStream;

/**
 * One entity that wanders between nodes, and the checker of what they owe it.
 *
 * <p>It keeps a ledger of its own: which event was acknowledged under which sequence number, and how far it was deleted. Every
 * acknowledgement must carry the next number, so numbers are unbroken but for those that rejected events used up; every
 * recovery must bring each acknowledged and not deleted event exactly once, in order, nothing else, and the last number.
 */
final class CheckedEntity {

    private final String persistenceId;
    private final TreeMap<Long, String> acknowledged = new TreeMap<>();
    private long deletedTo;
    private long last;
    private JournalDriver node;

    private CheckedEntity(String persistenceId, JournalDriver node) {
        this.persistenceId = persistenceId;
        this.node = node;
    }

    /** An entity that has no events yet, on its first node. */
    static CheckedEntity on(JournalDriver node, String persistenceId) {
        return new CheckedEntity(persistenceId, node).moveTo(node);
    }

    /** Stops the entity where it is, recovers it on this node and checks what it recovered. */
    CheckedEntity moveTo(JournalDriver next) {
        node.stop(persistenceId);
        return startOn(next);
    }

    /** Recovers the entity on this node after its node has died, and checks what it recovered. */
    CheckedEntity startOn(JournalDriver next) {
        // Numbers of rejected events after the last stored one are known to no journal: they are given again.
        last = highestStored();
        assertThat(recoverOn(next))
                .as("last sequence number that %s recovered", persistenceId)
                .isEqualTo(last);
        return this;
    }

    /** Like {@link #startOn} after a batch was left unfinished: whether its numbers are given again is the journal's choice. */
    CheckedEntity startAfterUnfinishedBatchOn(JournalDriver next) {
        last = recoverOn(next);
        assertThat(last)
                .as("last sequence number that %s recovered", persistenceId)
                .isGreaterThanOrEqualTo(highestStored());
        return this;
    }

    private long recoverOn(JournalDriver next) {
        node = next;
        Recovered recovered = node.recover(persistenceId);
        Difference.assertSame(persistenceId, recovered.events(), expected());
        return recovered.lastSequenceNumber();
    }

    /** Persists events one by one up to this sequence number. */
    CheckedEntity persistTo(long sequenceNumber) {
        while (last < sequenceNumber) {
            long next = last + 1;
            String payload = payload(next);
            assertAcknowledged(next, node.persist(persistenceId, payload));
            acknowledged.put(next, payload);
            last = next;
        }
        return this;
    }

    /** Persists one atomic batch that ends with this sequence number. */
    CheckedEntity persistBatchTo(long sequenceNumber) {
        List<String> payloads = payloads(last + 1, sequenceNumber, CheckedEntity::payload);
        assertAcknowledged(sequenceNumber, node.persistAll(persistenceId, payloads));
        for (String payload : payloads) {
            last++;
            acknowledged.put(last, payload);
        }
        return this;
    }

    /** Lets the next event be rejected. */
    CheckedEntity rejectNext() {
        assertAcknowledged(last + 1, node.persistRejected(persistenceId));
        last++;
        return this;
    }

    /** Lets a batch that would have ended with this sequence number be rejected, because of its last event. */
    CheckedEntity rejectBatchTo(long sequenceNumber) {
        List<String> payloads = payloads(last + 1, sequenceNumber - 1, number -> "rejected-" + number);
        assertAcknowledged(sequenceNumber, node.persistAllRejected(persistenceId, payloads, payloads.size()));
        last = sequenceNumber;
        return this;
    }

    /** Takes over events that were put into the table by hand. */
    CheckedEntity adopt(long sequenceNumber, String payload) {
        acknowledged.put(sequenceNumber, payload);
        last = sequenceNumber;
        return this;
    }

    /** Forgets events that were never acknowledged in truth, because a test takes some of their items away. */
    CheckedEntity forgetFrom(long sequenceNumber) {
        acknowledged.tailMap(sequenceNumber, true).clear();
        return this;
    }

    /** Deletes up to this sequence number, which must be a stored one. */
    CheckedEntity deleteTo(long sequenceNumber) {
        assertThat(sequenceNumber).isLessThanOrEqualTo(highestStored());
        node.delete(persistenceId, sequenceNumber);
        deletedTo = sequenceNumber;
        return this;
    }

    /** Deletes up to this sequence number and must hear that it failed; the events are hidden all the same. */
    CheckedEntity failToDeleteTo(long sequenceNumber) {
        assertThatThrownBy(() -> node.delete(persistenceId, sequenceNumber)).isInstanceOf(JournalDriverException.class);
        deletedTo = sequenceNumber;
        return this;
    }

    long last() {
        return last;
    }

    /** The events that a recovery must bring. */
    List<Recovered.Event> expected() {
        List<Recovered.Event> events = new ArrayList<>();
        acknowledged.tailMap(deletedTo, false).forEach((number, payload) -> events.add(event(number, payload)));
        return events;
    }

    private long highestStored() {
        return acknowledged.isEmpty() ? deletedTo : Math.max(deletedTo, acknowledged.lastKey());
    }

    private void assertAcknowledged(long expected, long actual) {
        assertThat(actual)
                .as("acknowledged sequence number of %s", persistenceId)
                .isEqualTo(expected);
    }

    private static Recovered.Event event(long sequenceNumber, String payload) {
        return new Recovered.Event(sequenceNumber, payload);
    }

    private static String payload(long sequenceNumber) {
        return "event-" + sequenceNumber;
    }

    private static List<String> payloads(long from, long to, LongFunction<String> payload) {
        return LongStream.rangeClosed(from, to).mapToObj(payload).toList();
    }
}
