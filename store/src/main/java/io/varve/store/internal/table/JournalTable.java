package io.varve.store.internal.table;

import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.layout.EventItems;
import io.varve.store.internal.layout.JournalKeys;

/** A journal table that is ready for use: the way to it, its keys, and the number of shards that its marks have. */
public record JournalTable(Gateway gateway, String name, EventItems items, int sequenceShards) {

    /** The keys of this journal-name. */
    public JournalKeys keys() {
        return items.keys();
    }

    /** The shard of the marks for a sequence number. */
    public long markShard(long sequenceNumber) {
        return JournalKeys.group(sequenceNumber) % sequenceShards;
    }
}
