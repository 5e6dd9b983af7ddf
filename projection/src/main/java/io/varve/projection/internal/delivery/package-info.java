/** How events reach handlers. */
@NullMarked
package io.varve.projection.internal.delivery;

import org.jspecify.annotations.NullMarked;
