@NullMarked
package io.varve.chaos.soak;

import org.jspecify.annotations.NullMarked;
