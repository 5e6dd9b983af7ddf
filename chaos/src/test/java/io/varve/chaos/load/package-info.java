@NullMarked
package io.varve.chaos.load;

import org.jspecify.annotations.NullMarked;
