/**
 * The store in a world of its own: one thread, virtual time, one seed. {@link io.varve.simulation.World} is the time,
 * {@link io.varve.simulation.Mix} how often what happens ({@link io.varve.simulation.Feature}), {@link io.varve.simulation.Shape}
 * what is there, {@link io.varve.simulation.Network} the way to the modelled DynamoDB. {@link io.varve.simulation.Simulation} lives
 * through it, and {@link io.varve.simulation.Shrinking} finds out what of it is needed to break a promise.
 *
 * <p>{@link io.varve.simulation.Owner}, {@link io.varve.simulation.Visit}, {@link io.varve.simulation.QueryConsumer} and
 * {@link io.varve.simulation.SimulatedProjection} are what users do; {@link io.varve.simulation.EntityTruth},
 * {@link io.varve.simulation.ConsumerTruth} and {@link io.varve.simulation.EffectTruth} what they were promised.
 * {@link io.varve.simulation.Mutants} are faults that all of this must find.
 */
@NullMarked
package io.varve.simulation;

import org.jspecify.annotations.NullMarked;
