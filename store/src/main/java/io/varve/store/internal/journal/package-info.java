/**
 * The events of one journal-name: the top room of the store.
 *
 * <p>{@link io.varve.store.internal.journal.EventStore} is what a journal plugin calls, {@link
 * io.varve.store.internal.journal.EventReader} what a read journal calls, which changes nothing.
 *
 * <p>The first call opens the journal: META tells the number of its shards, and {@link
 * io.varve.store.internal.journal.OpenedJournal} holds all that works on it from then on. {@link
 * io.varve.store.internal.journal.EntityWriter} appends, {@link io.varve.store.internal.journal.EntityRecovery} finds the highest
 * number and replays. Between calls {@link io.varve.store.internal.journal.EntityMemory} remembers what need not be read again.
 */
@NullMarked
package io.varve.store.internal.journal;

import org.jspecify.annotations.NullMarked;
