package io.varve.store.internal.replay;

import io.varve.store.internal.layout.LastWritten;
import java.time.Instant;
import java.util.List;

/**
 * The end of an entity's events, and what was read on the way to it.
 *
 * @param head the highest sequence number ever stored, with its timestamp
 * @param low the first sequence number that may be replayed
 * @param fetched what the replay that follows need not read again
 * @param leftovers what stands on the numbers after the head and has to be removed before they are used
 */
public record RecoveryStart(
        LastWritten head, long low, FetchedPages fetched, Instant readAt, List<UnfinishedChain> leftovers) {}
