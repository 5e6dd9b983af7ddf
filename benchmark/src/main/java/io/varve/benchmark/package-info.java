/**
 * Measurements, run by {@code ./varve bench}. No figure of theirs is ever asserted in a test.
 *
 * <p>A package for each measurement ({@code cost}, {@code speed}, {@code delivery}, {@code scale}) on those they share: the sides that
 * are compared and the JVMs they run in, the servers they ask, and the reports. {@code driver} and {@code sdk} run inside the measured
 * JVMs, {@code responder} in that of the server.
 */
@NullMarked
package io.varve.benchmark;

import org.jspecify.annotations.NullMarked;
