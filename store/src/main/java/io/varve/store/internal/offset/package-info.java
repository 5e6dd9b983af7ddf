/**
 * How far projections have come: the rows of the offset table.
 *
 * <p>{@link io.varve.store.internal.offset.OffsetTable} reads and writes them for one projection. A row for each slice says where a query
 * goes on; a row for each entity says which of its events was processed last, and guards against a second instance.
 */
@NullMarked
package io.varve.store.internal.offset;

import org.jspecify.annotations.NullMarked;
