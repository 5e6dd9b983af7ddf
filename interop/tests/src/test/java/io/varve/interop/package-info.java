/**
 * Varve and its predecessor, pekko-persistence-dynamodb, on the same table: each reads what the other wrote.
 *
 * <p>{@link io.varve.interop.Side} opens a node of either; {@link io.varve.interop.CheckedEntity} drives one entity through
 * nodes of both and checks after each recovery that nothing is missing, hidden or twice. The predecessor runs in a JVM of its
 * own, {@link io.varve.interop.PeerProcess}.
 */
@NullMarked
package io.varve.interop;

import org.jspecify.annotations.NullMarked;
