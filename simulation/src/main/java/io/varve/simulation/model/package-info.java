/**
 * DynamoDB in memory, as its documentation describes it: conditions, updates, transactions, pages, indexes that lag behind, limits.
 *
 * <p>{@link io.varve.simulation.model.Engine} carries requests out, one at a time and at once. It knows nothing of networks, time
 * or faults: who drives it decides when a request takes effect, when an index catches up, and how long the reading of a page takes.
 */
@NullMarked
package io.varve.simulation.model;

import org.jspecify.annotations.NullMarked;
