/**
 * What queries by slice and by tag read: the slice index.
 *
 * <p>{@link io.varve.store.internal.slice.SliceIndex} reads pages of one index shard. A {@code Shard} is one of them while a query reads
 * it: its {@code Passes} say what to read next (a plain pass and, some time behind it, passes that look for events which became visible
 * late), its {@code Turns} when. {@code DeliveryRules} turn a page into what may be delivered: complete atomic writes, each event once,
 * those of one entity in order. {@code Merge} brings the shards together, and {@link io.varve.store.internal.slice.SliceQuery} runs them
 * all.
 */
@NullMarked
package io.varve.store.internal.slice;

import org.jspecify.annotations.NullMarked;
