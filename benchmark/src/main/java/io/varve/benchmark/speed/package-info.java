/** {@code ./varve bench speed}: events per second, CPU and memory of writes, and the time of recoveries. */
@NullMarked
package io.varve.benchmark.speed;

import org.jspecify.annotations.NullMarked;
