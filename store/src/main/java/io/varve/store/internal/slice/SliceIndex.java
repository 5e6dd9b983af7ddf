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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.QueryResponse;

/** The index of a journal-name's events by shard and time. */
public final class SliceIndex {
    private static final Comparator<Event> ORDER = Comparator.comparingLong(Event::timestamp)
            .thenComparing(Event::persistenceId)
            .thenComparingLong(Event::sequenceNumber);

    private static final String WHAT_TO_DO =
            "Queries by slice and by tag, and projections, read it. Add it to the table"
                    + " (docs/guide/tables.md says how); events that were stored with slice-index.enabled = off, or by a predecessor, will"
                    + " not be in it.";

    private final Gateway gateway;
    private final String table;
    private final JournalKeys keys;
    private final ItemOwner owner;
    private final int shards;

    /** The index of a table that has this number of shards. */
    public SliceIndex(Gateway gateway, String table, JournalKeys keys, int shards) {
        this.gateway = gateway;
        this.table = table;
        this.keys = keys;
        this.owner = new ItemOwner(keys);
        this.shards = shards;
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

    /**
     * What was read.
     *
     * @param end where to go on
     * @param more whether there was more up to the bound
     */
    record Page(List<Event> events, IndexCursor end, boolean more) {}

    /** The events of a shard from a cursor on, up to and including a timestamp; one request. */
    CompletionStage<Page> read(String entityType, int shard, IndexCursor from, long until, int limit) {
        QueryRequest request = request(table, keys.sliceShard(entityType, shard), from, until, limit);
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

    private Page page(QueryResponse response, IndexCursor from) {
        List<Event> events = new ArrayList<>(response.items().size());
        for (Map<String, AttributeValue> item : response.items()) {
            // Names of journals and entity types are not escaped in the index's key, so that other journals' events can
            // meet here.
            owner.event(new Item(table, item)).ifPresent(events::add);
        }
        events.sort(ORDER);
        Optional<Map<String, AttributeValue>> next = Pages.after(response);
        IndexCursor end = from;
        if (next.isPresent()) {
            end = cursor(next.get());
        } else if (!response.items().isEmpty()) {
            end = cursor(response.items().get(response.items().size() - 1));
        }
        return new Page(events, end, next.isPresent());
    }

    private IndexCursor cursor(Map<String, AttributeValue> attributes) {
        Item item = new Item(table, attributes);
        return new IndexCursor(
                item.number(Attributes.TIMESTAMP, 0, Item.LAST_TIMESTAMP),
                Optional.of(item.key(Attributes.SHARD, Attributes.TIMESTAMP, Attributes.PARTITION, Attributes.NUMBER)));
    }
}
