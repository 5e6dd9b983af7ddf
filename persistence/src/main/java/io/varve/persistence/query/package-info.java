/**
 * The way of stored events to running queries: the journal publishes them as {@link io.varve.persistence.query.PublishedEvents}
 * to the {@link io.varve.persistence.query.EventTopics} of the cluster. A message may get lost on the way; a query that polls
 * finds its events all the same.
 *
 * <p>{@link io.varve.persistence.query.SliceOffsets} is the place that a query over several slices has reached, and {@link
 * io.varve.persistence.query.VarveSerializer} the form in which both travel.
 */
@NullMarked
package io.varve.persistence.query;

import org.jspecify.annotations.NullMarked;
