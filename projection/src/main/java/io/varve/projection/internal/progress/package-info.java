/** How far a projection is: what is known in memory, and how it is stored. */
@NullMarked
package io.varve.projection.internal.progress;

import org.jspecify.annotations.NullMarked;
