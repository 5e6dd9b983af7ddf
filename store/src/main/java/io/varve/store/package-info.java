/**
 * The event store on DynamoDB: plain Java and the AWS SDK, no Pekko.
 *
 * <p>Read it in this order: {@code layout} (what the bytes look like), {@code append} (how events get in), {@code replay}
 * (how they come out), {@code delete}, {@code slice} (how they come out by slices), {@code entity} (which entities there are);
 * {@code client} is the one way to DynamoDB that all of them use, {@code table} creates and verifies the tables, {@code settings}
 * reads configuration. {@link io.varve.store.internal.journal.EventStore} joins them for a journal, {@link io.varve.store.internal.journal.EventReader} for who only
 * reads.
 */
@NullMarked
package io.varve.store;

import org.jspecify.annotations.NullMarked;
