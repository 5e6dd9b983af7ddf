@NullMarked
package io.varve.chaos.node;

import org.jspecify.annotations.NullMarked;
