/**
 * What asynchronous code needs again and again: loops, pages, back-off, values that are loaded once, time and chance.
 *
 * <p>Knows nothing of DynamoDB or of events.
 */
@NullMarked
package io.varve.store.internal.async;

import org.jspecify.annotations.NullMarked;
