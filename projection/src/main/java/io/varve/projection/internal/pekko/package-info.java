/** The one place that touches internals of Pekko's projections. */
@NullMarked
package io.varve.projection.internal.pekko;

import org.jspecify.annotations.NullMarked;
