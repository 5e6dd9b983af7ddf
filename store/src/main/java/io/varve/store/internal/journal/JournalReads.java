package io.varve.store.internal.journal;

import io.varve.store.internal.replay.EventLookup;
import io.varve.store.internal.replay.MarkReader;
import io.varve.store.internal.replay.Replayer;
import io.varve.store.internal.replay.TailReader;
import io.varve.store.internal.table.JournalTable;
import java.time.InstantSource;

/** What reads a journal, once the number of its shards is known. */
record JournalReads(JournalTable table, MarkReader marks, TailReader tail, Replayer replayer, EventLookup lookup) {

    /** The clock tells which events have expired. */
    static JournalReads of(JournalTable table, EventStoreSettings settings, InstantSource clock) {
        TailReader tail = new TailReader(table, settings.highDistrust(), clock);
        return new JournalReads(
                table,
                new MarkReader(table),
                tail,
                new Replayer(table, tail, settings.replayParallelism(), clock),
                new EventLookup(table, clock));
    }
}
