/**
 * The journal plugin {@code dynamodb-journal}: serializes what Pekko hands over, leaves the rest to
 * {@link io.varve.store.internal.journal.EventStore}, and publishes what was stored to {@link io.varve.persistence.internal.publish.EventTopics}.
 */
@NullMarked
package io.varve.persistence.journal;

import org.jspecify.annotations.NullMarked;
