/** What can be asked about a projection from outside, on any node and whether it runs or not: by its rows, and the journal's index. */
@NullMarked
package io.varve.projection.internal.status;

import org.jspecify.annotations.NullMarked;
