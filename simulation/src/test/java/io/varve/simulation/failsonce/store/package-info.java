/**
 * The use cases of the store, without Pekko: processes with its stores run on one thread in virtual time, so that an outage that
 * lasts until the time of an operation is spent costs nothing.
 */
@NullMarked
package io.varve.simulation.failsonce.store;

import org.jspecify.annotations.NullMarked;
