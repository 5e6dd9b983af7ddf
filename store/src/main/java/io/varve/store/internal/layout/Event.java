package io.varve.store.internal.layout;

import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import software.amazon.awssdk.core.SdkBytes;

/**
 * An event as it is stored.
 *
 * @param payload the event's own bytes; if {@code legacy}, those of the whole representation
 * @param manifest the event adapter's manifest, possibly empty
 * @param timestamp microseconds since the epoch, strictly increasing for each entity; 0 where an older version stored none
 * @param batch its place in an atomic write of several events
 * @param expiry when it ceases to exist
 * @param legacy whether it was stored by the oldest predecessors, in one attribute
 * @param placeholder whether it only takes the number of a rejected event, and is never delivered
 */
public record Event(
        String persistenceId,
        long sequenceNumber,
        Payload payload,
        String writer,
        String manifest,
        Optional<Payload> metadata,
        Set<String> tags,
        long timestamp,
        Optional<Batch> batch,
        Optional<Instant> expiry,
        boolean legacy,
        boolean placeholder) {

    /** No bytes, under the identifier of Pekko's serializer for bytes. */
    private static final Payload NOTHING = new Payload(SdkBytes.fromByteArray(new byte[0]), 4, "");

    /** An event that is no placeholder. */
    public Event(
            String persistenceId,
            long sequenceNumber,
            Payload payload,
            String writer,
            String manifest,
            Optional<Payload> metadata,
            Set<String> tags,
            long timestamp,
            Optional<Batch> batch,
            Optional<Instant> expiry,
            boolean legacy) {
        this(
                persistenceId,
                sequenceNumber,
                payload,
                writer,
                manifest,
                metadata,
                tags,
                timestamp,
                batch,
                expiry,
                legacy,
                false);
    }

    /** The placeholder for the number of a rejected event. */
    public static Event placeholder(String persistenceId, long sequenceNumber, String writer, long timestamp) {
        return new Event(
                persistenceId,
                sequenceNumber,
                NOTHING,
                writer,
                "",
                Optional.empty(),
                Set.of(),
                timestamp,
                Optional.empty(),
                Optional.empty(),
                false,
                true);
    }

    /**
     * The place of an event in an atomic write.
     *
     * @param index from 0
     * @param lastIndex the index of the last event
     * @param id the identity of an atomic write that needs several transactions
     */
    public record Batch(int index, int lastIndex, Optional<String> id) {
        /** Checks that there is such a place. */
        public Batch {
            if (index < 0 || index > lastIndex) {
                throw new IllegalArgumentException("There is no index " + index + " up to " + lastIndex + ".");
            }
        }
    }

    /** The same as part of an atomic write that needs several transactions. */
    public Event inChain(String id) {
        return new Event(
                persistenceId,
                sequenceNumber,
                payload,
                writer,
                manifest,
                metadata,
                tags,
                timestamp,
                batch.map(place -> new Batch(place.index(), place.lastIndex(), Optional.of(id))),
                expiry,
                legacy,
                placeholder);
    }

    /** The sequence number at which the event's atomic write begins: its own if it stands alone. */
    public long batchStart() {
        return sequenceNumber - batch.map(Batch::index).orElse(0);
    }

    /** The sequence number at which the event's atomic write ends: its own if it stands alone. */
    public long batchEnd() {
        return sequenceNumber + batch.map(b -> b.lastIndex() - b.index()).orElse(0);
    }

    /** Whether its time is over. */
    public boolean isExpired(Instant now) {
        return expiry.isPresent() && !expiry.get().isAfter(now);
    }
}
