/**
 * Every request fails once: each {@link UseCase} is run with no fault to count its requests, and then again for every request and
 * every {@link Way} in which it can fail.
 *
 * <p>After the fault comes a fresh start on the same data. What was acknowledged must be there, what was reported as failed must be
 * there as a whole or not at all, and the same operation must now succeed and leave nothing behind that it does not need.
 */
@NullMarked
package io.varve.simulation.failsonce;

import org.jspecify.annotations.NullMarked;
