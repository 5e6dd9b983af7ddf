/**
 * Projections of events by slices, with offsets in DynamoDB.
 *
 * <p>{@link io.varve.projection.DynamoDBProjection} makes them. Each time a projection starts, an {@code Incarnation} runs: it
 * reads the stored places of its slices, lets {@code Admission} decide about each event that the query brings (a duplicate, the
 * next one, or one before which others are missing), hands it to the handler by one of the {@code Flavour}s, and stores the
 * progress, which {@code Progress} keeps in memory.
 */
@NullMarked
package io.varve.projection;

import org.jspecify.annotations.NullMarked;
