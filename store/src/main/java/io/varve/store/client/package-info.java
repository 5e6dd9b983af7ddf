/**
 * The one way to DynamoDB.
 *
 * <p>{@link io.varve.store.client.ClientSettings} describe a client, {@link io.varve.store.client.SharedClients} keep one for
 * each distinct description, and {@link io.varve.store.client.Gateway} is what the rest of the store calls: it sends, waits out
 * throttling and broken connections within a time budget, finishes half-processed batches, translates errors once, and reports
 * each request to the {@link io.varve.store.client.StoreObserver}. Nobody else holds an SDK client.
 */
@NullMarked
package io.varve.store.client;

import org.jspecify.annotations.NullMarked;
