package io.varve.store.internal.entity;

import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.layout.JournalKeys;
import java.util.Optional;

/**
 * Lists the entities of one journal-name.
 *
 * <p>No id comes twice in a listing. A new listing can go on after any id of a former one of the same source: the order
 * depends on nothing but the ids. Entities that come or go meanwhile are listed or not.
 */
public final class PersistenceIds {
    /** More than fit into the megabyte that DynamoDB puts into a page. */
    private static final int LARGEST_PAGE = 100_000;

    private final Gateway gateway;
    private final String table;
    private final JournalKeys keys;
    private final Source source;

    /** The entities of a journal-name in a table, by way of a source. */
    public PersistenceIds(Gateway gateway, String table, JournalKeys keys, Source source) {
        this.gateway = gateway;
        this.table = table;
        this.keys = keys;
        this.source = source;
    }

    /** Begins a listing, after an id of a former one if given, whose pages are as large as DynamoDB makes them. */
    public Listing list(Optional<String> afterId) {
        return list(afterId, LARGEST_PAGE);
    }

    /** Begins a listing, after an id of a former one if given, with at most so many ids in a page. */
    public Listing list(Optional<String> afterId, int pageSize) {
        if (pageSize < 1) {
            throw new IllegalArgumentException("A page of " + pageSize + " persistence ids cannot be listed.");
        }
        if (source instanceof Source.PredecessorIndex index) {
            return new PredecessorListing(gateway, table, keys, index.name(), afterId, pageSize);
        }
        return source instanceof Source.Scan scan
                ? new ScanListing(gateway, table, keys, scan.segments(), afterId, pageSize)
                : new IndexListing(gateway, table, keys, afterId, pageSize);
    }
}
