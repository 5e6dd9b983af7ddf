/** Judges from what was seen whether something works: health checks send no requests of their own. */
@NullMarked
package io.varve.persistence.internal.health;

import org.jspecify.annotations.NullMarked;
