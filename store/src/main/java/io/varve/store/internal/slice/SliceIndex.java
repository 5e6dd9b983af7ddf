package io.varve.store.internal.slice;

import io.varve.store.SliceRange;
import io.varve.store.Slices;
import io.varve.store.StoreObserver;
import io.varve.store.internal.client.Call;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.client.Pages;
import io.varve.store.internal.layout.Attributes;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.EventItems;
import io.varve.store.internal.layout.Item;
import io.varve.store.internal.layout.ItemOwner;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.table.MissingIndex;
import io.varve.store.table.Tables;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.QueryResponse;

/** The index of a journal-name's events by shard and time. Live queries of the same one read their shards together. */
public final class SliceIndex {
    private static final String WHAT_TO_DO =
            "Queries by slice and by tag, and projections, read it. Add it to the table"
                    + " (docs/guide/tables.md says how); events that were stored with slice-index.enabled = off, or by a predecessor, will"
                    + " not be in it.";

    private final Gateway gateway;
    private final String table;
    private final JournalKeys keys;
    private final ItemOwner owner;
    private final int shards;
    private final Map<SharedShard.Key, SharedShard> shared = new ConcurrentHashMap<>();

    /** The index of a table that has this number of shards. */
    public SliceIndex(Gateway gateway, String table, JournalKeys keys, int shards) {
        this.gateway = gateway;
        this.table = table;
        this.keys = keys;
        this.owner = new ItemOwner(keys);
        this.shards = shards;
    }

    /** How many shards there are. */
    int shards() {
        return shards;
    }

    /** The shard that a slice lies in. */
    int shardOf(int slice) {
        return slice / (Slices.NUMBER / shards);
    }

    /** Those of some slices that lie in a shard. */
    SliceRange inShard(SliceRange slices, int shard) {
        int size = Slices.NUMBER / shards;
        int first = Math.max(slices.min(), shard * size);
        int last = Math.min(slices.max(), shard * size + size - 1);
        return new SliceRange(slices.entityType(), first, last);
    }

    /** A shard that one live query more reads, until it leaves. */
    SharedShard join(String entityType, int shard) {
        return shared.compute(new SharedShard.Key(entityType, shard), (key, known) -> {
            SharedShard joined = known == null ? new SharedShard(this, key) : known;
            joined.joined();
            return joined;
        });
    }

    void leave(SharedShard.Key left) {
        shared.computeIfPresent(left, (key, known) -> known.left() ? null : known);
    }

    /** The events of a shard from a cursor on, up to and including a timestamp; one request. */
    CompletionStage<IndexPage> read(String entityType, int shard, IndexCursor from, long until, int limit) {
        return send(request(table, keys.sliceShard(entityType, shard), from, until, limit), from);
    }

    /** The newest events of a shard up to and including a timestamp, as many as a limit says, or those before them; one request. */
    CompletionStage<IndexPage> newest(String entityType, int shard, Optional<IndexPage> after, long until, int limit) {
        IndexCursor from = new IndexCursor(0, after.flatMap(page -> page.end().item()));
        QueryRequest request = request(table, keys.sliceShard(entityType, shard), from, until, limit).toBuilder()
                .scanIndexForward(false)
                .build();
        return send(request, from);
    }

    private CompletionStage<IndexPage> send(QueryRequest request, IndexCursor from) {
        return gateway.call(Call.QUERY, request, gateway.budget())
                .thenApply(response -> page(response, from))
                .exceptionallyCompose(thrown -> CompletableFuture.failedFuture(
                        MissingIndex.explain(thrown, table, Tables.SLICE_INDEX, WHAT_TO_DO)));
    }

    /** Tells the observer that entities were forgotten. */
    void forgotten(String entityType, int entities) {
        gateway.observe(new StoreObserver.Forgotten(table, entityType, entities));
    }

    static QueryRequest request(String table, String shard, IndexCursor from, long until, int limit) {
        QueryRequest.Builder request = QueryRequest.builder()
                .tableName(table)
                .indexName(Tables.SLICE_INDEX)
                .keyConditionExpression("#shard = :shard AND " + Attributes.TIMESTAMP + " BETWEEN :from AND :until")
                .expressionAttributeNames(Map.of("#shard", Attributes.SHARD))
                .expressionAttributeValues(Map.of(
                        ":shard", AttributeValue.fromS(shard),
                        ":from", EventItems.number(from.timestamp()),
                        ":until", EventItems.number(until)))
                .limit(limit);
        from.item().ifPresent(request::exclusiveStartKey);
        return request.build();
    }

    private IndexPage page(QueryResponse response, IndexCursor from) {
        // Names of journals and entity types are not escaped in the index's key, so that other journals' events can
        // meet here.
        List<IndexPage.Entry> entries = response.items().stream()
                .map(item -> entry(new Item(table, item), owner.event(new Item(table, item))))
                .toList();
        return Pages.after(response)
                .map(next -> new IndexPage(
                        from,
                        entries,
                        entry(new Item(table, next), Optional.empty()).cursor(),
                        true))
                .orElseGet(() -> IndexPage.complete(from, entries));
    }

    private static IndexPage.Entry entry(Item item, Optional<Event> event) {
        return new IndexPage.Entry(
                item.number(Attributes.TIMESTAMP, 0, Item.LAST_TIMESTAMP),
                item.key(Attributes.SHARD, Attributes.TIMESTAMP, Attributes.PARTITION, Attributes.NUMBER),
                event);
    }
}
