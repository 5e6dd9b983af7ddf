/** The documentation's examples, compiled and run; and checks that the documentation says what the code does. */
@NullMarked
package io.varve.docs;

import org.jspecify.annotations.NullMarked;
