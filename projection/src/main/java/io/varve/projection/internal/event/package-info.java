/** An event on its way through a projection. */
@NullMarked
package io.varve.projection.internal.event;

import org.jspecify.annotations.NullMarked;
