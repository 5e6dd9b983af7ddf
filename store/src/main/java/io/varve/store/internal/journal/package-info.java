/**
 * The events of one journal-name: the top room of the store.
 *
 * <p>{@link io.varve.store.internal.journal.EventStore} is what a journal plugin calls, {@link
 * io.varve.store.internal.journal.EventReader} what a read journal calls, which changes nothing.
 */
@NullMarked
package io.varve.store.internal.journal;

import org.jspecify.annotations.NullMarked;
