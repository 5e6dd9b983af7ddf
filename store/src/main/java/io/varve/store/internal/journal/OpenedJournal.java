package io.varve.store.internal.journal;

import io.varve.store.internal.delete.EventDeleter;

/** A journal whose META is known, and what works on it. */
record OpenedJournal(JournalReads reads, EntityWriter writer, EntityRecovery recovery, EventDeleter deleter) {}
