/** What holds for all modules together. */
@NullMarked
package io.varve.architecture;

import org.jspecify.annotations.NullMarked;
