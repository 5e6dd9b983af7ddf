/**
 * The snapshot store plugin {@code dynamodb-snapshot-store}: serializes what Pekko hands over, and leaves the rest to
 * {@link io.varve.store.internal.snapshot.SnapshotStore}.
 */
@NullMarked
package io.varve.persistence.snapshot;

import org.jspecify.annotations.NullMarked;
