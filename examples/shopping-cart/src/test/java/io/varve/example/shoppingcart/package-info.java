/** Tests of the example, and of all documentation that shows code. */
@NullMarked
package io.varve.example.shoppingcart;

import org.jspecify.annotations.NullMarked;
