/** Placeholder. */
@NullMarked
package io.varve.persistence;

import org.jspecify.annotations.NullMarked;
