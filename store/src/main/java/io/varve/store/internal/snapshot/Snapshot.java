package io.varve.store.internal.snapshot;

import io.varve.store.internal.layout.Payload;
import java.time.Instant;
import java.util.Optional;

/**
 * A snapshot as it is stored.
 *
 * @param payload the snapshot's own bytes; if {@code legacy}, those of the wrapper that the oldest predecessors stored
 */
public record Snapshot(
        String persistenceId,
        long sequenceNumber,
        Instant timestamp,
        Payload payload,
        Optional<Payload> metadata,
        boolean legacy) {}
