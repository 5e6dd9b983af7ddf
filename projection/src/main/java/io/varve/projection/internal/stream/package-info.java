/** A projection from one start to the next stop or failure, and its restarts. */
@NullMarked
package io.varve.projection.internal.stream;

import org.jspecify.annotations.NullMarked;
