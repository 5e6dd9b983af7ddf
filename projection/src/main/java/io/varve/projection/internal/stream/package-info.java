/**
 * A projection while it runs: a {@code ProjectionStream} from one start to the next stop or failure, and {@code
 * RestartingProjection}, which starts the next one.
 *
 * <p>{@code Admission} decides about each event that the query brings: a duplicate, the next one, or one before which others are
 * missing.
 */
@NullMarked
package io.varve.projection.internal.stream;

import org.jspecify.annotations.NullMarked;
