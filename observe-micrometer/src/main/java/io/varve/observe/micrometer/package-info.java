/**
 * Varve's observers as Micrometer's meters: {@link io.varve.observe.micrometer.DynamoDBMetrics} counts requests and capacity
 * units, {@link io.varve.observe.micrometer.ProjectionMetrics} shows how far projections are, {@link io.varve.observe.micrometer.BacklogMetrics} what waits for them.
 */
@NullMarked
package io.varve.observe.micrometer;

import org.jspecify.annotations.NullMarked;
