package io.varve.interop.peer;

import java.util.List;
import java.util.Optional;

/**
 * A node with one journal and any number of persistent actors, driven step by step.
 *
 * <p>Each call waits until the journal has answered and fails with a {@link JournalDriverException} if the answer is another
 * one than the call asks for. An actor must have recovered before it is used.
 */
public interface JournalDriver extends AutoCloseable {

    /** Starts the actor anew and tells what it recovered. */
    default Recovered recover(String persistenceId) {
        return recoverTo(persistenceId, Long.MAX_VALUE, Long.MAX_VALUE);
    }

    /** Starts the actor anew with bounds on its recovery. */
    Recovered recoverTo(String persistenceId, long toSequenceNumber, long max);

    /** Persists one event and returns its sequence number. */
    long persist(String persistenceId, String payload);

    /** Persists an atomic batch and returns the sequence number of its last event. */
    long persistAll(String persistenceId, List<String> payloads);

    /** Persists one event that no serializer takes, which must be rejected; returns the sequence number that it used up. */
    default long persistRejected(String persistenceId) {
        return persistAllRejected(persistenceId, List.of(), 0);
    }

    /** Persists a batch with one event at that index that no serializer takes; the batch must be rejected as a whole. */
    long persistAllRejected(String persistenceId, List<String> payloads, int rejectedIndex);

    /** Deletes the events up to that sequence number. */
    void delete(String persistenceId, long toSequenceNumber);

    /** Saves a snapshot of an actor, which need not run; its time is now. */
    void saveSnapshot(String persistenceId, long sequenceNumber, String payload);

    /** The newest snapshot within both bounds. */
    Optional<StoredSnapshot> loadSnapshot(String persistenceId, long maxSequenceNumber, long maxTimestamp);

    /** The newest snapshot. */
    default Optional<StoredSnapshot> loadSnapshot(String persistenceId) {
        return loadSnapshot(persistenceId, Long.MAX_VALUE, Long.MAX_VALUE);
    }

    /** Deletes one snapshot. */
    void deleteSnapshot(String persistenceId, long sequenceNumber);

    /** Deletes the snapshots within both bounds. */
    void deleteSnapshots(String persistenceId, long maxSequenceNumber, long maxTimestamp);

    /** Stops the actor. */
    void stop(String persistenceId);

    /** Stops the node. */
    @Override
    void close();
}
