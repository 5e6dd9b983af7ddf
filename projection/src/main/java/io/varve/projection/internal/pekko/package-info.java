/**
 * What Pekko's projections keep to themselves, and a projection of another offset store cannot do without: the only package that
 * touches {@code org.apache.pekko.projection.internal}.
 *
 * <table>
 * <caption>What is used of it, and why</caption>
 * <tr><th>type</th><th>used by</th><th>why</th></tr>
 * <tr><td>{@code ActorHandlerInit}</td><td>{@code PekkoProjection}</td><td>part of the signature of {@code Projection}</td></tr>
 * <tr><td>{@code ProjectionSettings}</td><td>{@code PekkoSettings}</td><td>reads {@code pekko.projection}, and is what {@code
 *   RunningProjection.withBackoff} takes</td></tr>
 * <tr><td>{@code NoopStatusObserver}</td><td>{@code PekkoSettings}</td><td>the observer of a projection that has none</td></tr>
 * <tr><td>{@code HandlerRecoveryImpl}</td><td>{@code PekkoRecovery}</td><td>what a {@code HandlerRecoveryStrategy} means: its
 *   retries, pauses and log</td></tr>
 * <tr><td>{@code Telemetry}, {@code TelemetryProvider}</td><td>{@code SafeObservers}</td><td>tools for tracing are plugged in by
 *   it</td></tr>
 * <tr><td>{@code ManagementState}</td><td>{@code ManagedProjection}</td><td>part of the signature of {@code
 *   RunningProjectionManagement}</td></tr>
 * <tr><td>{@code RunningProjection.AbortProjectionException}, {@code RunningProjection.withBackoff}</td><td>{@code Abort}, {@code
 *   PekkoSettings}</td><td>internal as well, though in another package: an end that is no failure, and the restarts</td></tr>
 * </table>
 *
 * <p>{@code PekkoInternalsTest} says which of them a version of Pekko lacks.
 */
@NullMarked
package io.varve.projection.internal.pekko;

import org.jspecify.annotations.NullMarked;
