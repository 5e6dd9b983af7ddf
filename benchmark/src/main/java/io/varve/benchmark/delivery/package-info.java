/** {@code ./varve bench query} and {@code projection}: how soon a stored event reaches a query or a projection, and how many in a second. */
@NullMarked
package io.varve.benchmark.delivery;

import org.jspecify.annotations.NullMarked;
