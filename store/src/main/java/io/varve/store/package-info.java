/** Placeholder. */
@NullMarked
package io.varve.store;

import org.jspecify.annotations.NullMarked;
