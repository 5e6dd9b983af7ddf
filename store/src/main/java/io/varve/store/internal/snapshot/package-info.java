/**
 * Snapshots of any size.
 *
 * <p>{@link io.varve.store.internal.snapshot.SnapshotStore} saves a snapshot as one item where it fits. A larger one is cut into
 * {@link io.varve.store.internal.snapshot.Parts}, which are written before the head item that names them.
 * {@link io.varve.store.internal.snapshot.PartList} sees to it that a head is never without its parts, and that no part is lost.
 */
@NullMarked
package io.varve.store.internal.snapshot;

import org.jspecify.annotations.NullMarked;
