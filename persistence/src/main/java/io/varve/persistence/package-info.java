/**
 * Varve's plugins for Apache Pekko Persistence: thin adapters that turn Pekko's protocols into calls of the store.
 *
 * <p>{@link io.varve.persistence.DynamoDBClients} ties the store's shared clients to the actor system.
 */
@NullMarked
package io.varve.persistence;

import org.jspecify.annotations.NullMarked;
