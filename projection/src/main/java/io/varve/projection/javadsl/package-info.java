/** Where projections are made: {@link io.varve.projection.javadsl.DynamoDBProjection}, with the events of {@link io.varve.projection.javadsl.DynamoDBSourceProvider}. */
@NullMarked
package io.varve.projection.javadsl;

import org.jspecify.annotations.NullMarked;
