/** Measurements, run by {@code ./varve bench}. No figure of theirs is ever asserted in a test. */
@NullMarked
package io.varve.benchmark;

import org.jspecify.annotations.NullMarked;
