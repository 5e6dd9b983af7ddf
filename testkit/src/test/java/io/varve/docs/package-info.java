/** The examples of the guide, as users would write them. */
@NullMarked
package io.varve.docs;

import org.jspecify.annotations.NullMarked;
