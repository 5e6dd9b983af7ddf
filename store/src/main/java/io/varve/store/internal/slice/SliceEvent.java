package io.varve.store.internal.slice;

import io.varve.store.SliceRange;
import io.varve.store.internal.layout.Event;

/**
 * An event that a query delivers, and what is complete with it.
 *
 * @param slices the slices that are read together with the event's: those of its shard, as far as the query reads them
 * @param floor before which timestamp every event of these slices has been delivered, as far as it was visible
 */
public record SliceEvent(Event event, SliceRange slices, long floor) {}
