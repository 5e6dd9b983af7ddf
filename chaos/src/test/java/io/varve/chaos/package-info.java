@NullMarked
package io.varve.chaos;

import org.jspecify.annotations.NullMarked;
