/** {@code ./varve bench scale}: how recoveries, writers and projections grow. */
@NullMarked
package io.varve.benchmark.scale;

import org.jspecify.annotations.NullMarked;
