package io.varve.store.internal.replay;

import io.varve.store.internal.layout.LastWritten;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * The end of an entity's events, and what was read on the way to it.
 *
 * @param head the highest sequence number ever stored, with its timestamp
 * @param low the first sequence number that may be replayed
 * @param pages the groups that were read or are being read, from their first number that was asked for on
 * @param from the first sequence number that {@code pages} cover
 * @param leftovers what stands on the numbers after the head and has to be removed before they are used
 */
public record RecoveryStart(
        LastWritten head,
        long low,
        Map<Long, CompletionStage<Groups.Page>> pages,
        long from,
        Instant readAt,
        List<UnfinishedChain> leftovers) {}
