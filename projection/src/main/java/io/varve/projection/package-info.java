/**
 * Projections of events by slices, with offsets in DynamoDB: the values that users hand over, and what they implement.
 *
 * <p>{@code io.varve.projection.javadsl} makes projections. Each time one starts, a {@code ProjectionStream} runs.
 */
@NullMarked
package io.varve.projection;

import org.jspecify.annotations.NullMarked;
