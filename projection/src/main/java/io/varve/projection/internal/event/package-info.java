/** The events of a projection, and where they come from. */
@NullMarked
package io.varve.projection.internal.event;

import org.jspecify.annotations.NullMarked;
