package io.varve.projection.internal.delivery;

import io.varve.projection.internal.event.ProjectionSource;
import io.varve.projection.internal.settings.OffsetStoreSettings;
import io.varve.store.internal.offset.OffsetTable;
import java.time.InstantSource;

/** What all streams of a projection share. */
public record ProjectionParts<E>(
        ProjectionSource<E> source, OffsetTable table, OffsetStoreSettings settings, InstantSource clock) {}
