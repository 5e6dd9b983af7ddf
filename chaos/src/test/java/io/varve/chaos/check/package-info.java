@NullMarked
package io.varve.chaos.check;

import org.jspecify.annotations.NullMarked;
