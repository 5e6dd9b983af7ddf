/**
 * What queries by slice and by tag read: the slice index.
 *
 * <p>{@link io.varve.store.internal.slice.SliceIndex} reads pages of one index shard. A {@code ShardReader} goes through a shard with a
 * plain pass and, some time behind it, with passes that look for events which became visible late. {@code Settling} turns a page
 * into what may be emitted: complete atomic writes, each event once, those of one entity in order. {@code Merge} brings the
 * shards together, and {@link io.varve.store.internal.slice.SliceQuery} runs them all.
 */
@NullMarked
package io.varve.store.internal.slice;

import org.jspecify.annotations.NullMarked;
