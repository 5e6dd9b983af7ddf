/**
 * How far single entities are, for callers that wait for it: {@code RunningInstances} knows those that run on this node, and tells
 * when they get there; {@code ReachedNumbers} is asked where none does.
 */
@NullMarked
package io.varve.projection.internal.reached;

import org.jspecify.annotations.NullMarked;
