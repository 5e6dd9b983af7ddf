package io.varve.store.internal.replay;

import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * Groups that were read or are being read on the way to the tail.
 *
 * @param from the first sequence number that they cover
 * @param pages for each group, what is stored from {@code from} on
 */
record FetchedPages(long from, Map<Long, CompletionStage<Groups.Page>> pages) {}
