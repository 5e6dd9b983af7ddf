/**
 * A node of the bank, in a JVM of its own: accounts in Cluster Sharding, four projections of their events, and a line protocol for the
 * clients and for who makes trouble. It ends when its standard input does, that is with the process that has started it.
 *
 * <p>Events, snapshots and read models are plain text and plain numbers, so that the checker can read them without Varve.
 */
@NullMarked
package io.varve.chaos.node;

import org.jspecify.annotations.NullMarked;
