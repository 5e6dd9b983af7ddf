/**
 * The store in a world of its own: one thread, virtual time, one seed. {@link io.varve.simulation.World} is the time,
 * {@link io.varve.simulation.Network} the way to the modelled DynamoDB, {@link io.varve.simulation.Faults} how bad it is,
 * {@link io.varve.simulation.Owner} what users do, {@link io.varve.simulation.EntityTruth} what they were promised.
 */
@NullMarked
package io.varve.simulation;

import org.jspecify.annotations.NullMarked;
