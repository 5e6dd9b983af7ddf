@NullMarked
package io.varve.chaos.cluster;

import org.jspecify.annotations.NullMarked;
