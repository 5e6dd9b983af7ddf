/** What requests cost by AWS's rules, computed from the sizes of items. */
@NullMarked
package io.varve.testkit.internal.capacity;

import org.jspecify.annotations.NullMarked;
