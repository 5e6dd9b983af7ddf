/** Runs the specifications of {@code docs/spec} through TLC, the model checker of TLA+. */
@NullMarked
package io.varve.specification;

import org.jspecify.annotations.NullMarked;
