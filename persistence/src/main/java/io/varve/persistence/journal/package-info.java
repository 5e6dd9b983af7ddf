/**
 * The journal plugin {@code dynamodb-journal}: serializes what Pekko hands over, and leaves the rest to
 * {@link io.varve.store.EventStore}.
 */
@NullMarked
package io.varve.persistence.journal;

import org.jspecify.annotations.NullMarked;
