/** {@code ./varve bench cost}: requests and capacity units of each operation. */
@NullMarked
package io.varve.benchmark.cost;

import org.jspecify.annotations.NullMarked;
