/** What is compared, each side in a JVM of its own that the benchmark drives. */
@NullMarked
package io.varve.benchmark.side;

import org.jspecify.annotations.NullMarked;
