/**
 * How far a projection is: {@code StreamProgress} knows it in memory, {@code Transactions} and {@code OffsetSaver} store it.
 *
 * <p>The row of an entity says which of its events was processed last, and decides. The place of a slice says where the next start
 * begins to read.
 */
@NullMarked
package io.varve.projection.internal.progress;

import org.jspecify.annotations.NullMarked;
