/** A long run without faults: what nodes hold in memory, threads and connections stays flat, and nothing is left behind in the tables. */
@NullMarked
package io.varve.chaos.soak;

import org.jspecify.annotations.NullMarked;
