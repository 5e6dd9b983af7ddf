/**
 * The queries. {@code DynamoDBReadJournal}, for Java and for Scala, is a thin form of {@link io.varve.persistence.internal.query.Queries},
 * which makes streams of what the store reads and envelopes of the stored events.
 *
 * <p>The journal publishes the events as {@link io.varve.persistence.internal.publish.PublishedEvents} to the {@link
 * io.varve.persistence.internal.publish.EventTopics} of the cluster, where running queries hear of them. A message may get lost on the way;
 * a query that polls finds its events all the same.
 *
 * <p>{@link io.varve.persistence.query.SliceOffsets} is the place that a query over several slices has reached, {@link
 * io.varve.persistence.query.EventMetadata} what Pekko's envelopes have no place for, and {@link
 * io.varve.persistence.internal.wire.VarveSerializer} the form in which all of these travel.
 */
@NullMarked
package io.varve.persistence.query;

import org.jspecify.annotations.NullMarked;
