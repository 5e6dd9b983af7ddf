/**
 * The one way to DynamoDB.
 *
 * <p>{@link io.varve.store.internal.client.ClientSettings} describe a client, {@link io.varve.store.internal.client.SharedClients} keep one for
 * each distinct description, and {@link io.varve.store.internal.client.Gateway} is what the rest of the store calls: it sends, waits out
 * throttling and broken connections within a time budget, finishes half-processed batches, translates errors once, and reports
 * each request to the {@link io.varve.store.StoreObserver}. Nobody else holds an SDK client.
 */
@NullMarked
package io.varve.store.internal.client;

import org.jspecify.annotations.NullMarked;
