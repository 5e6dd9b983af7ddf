package io.varve.store.internal.entity;

import io.varve.store.internal.client.Call;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.client.Pages;
import io.varve.store.internal.layout.Attributes;
import io.varve.store.internal.layout.EventItems;
import io.varve.store.internal.layout.Item;
import io.varve.store.internal.layout.ItemOwner;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.table.MissingIndex;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;

/**
 * Lists the first events in the predecessors' index.
 *
 * <p>The index comes in two shapes: hash key {@code num}, and sort key {@code par} or none. A place in it consists of {@code num}
 * and {@code par} in both, so both are read alike: pages, and listings that go on after an id, begin at such a place.
 */
final class PredecessorListing implements Listing {
    private static final String WHAT_TO_DO =
            "Set persistence-ids.source of dynamodb-read-journal to another source (index"
                    + " if the table has pid-idx, else scan), or correct its persistence-ids-index-name.";

    private final Gateway gateway;
    private final String table;
    private final JournalKeys keys;
    private final ItemOwner owner;
    private final String index;
    private final int pageSize;
    private Optional<Map<String, AttributeValue>> start;
    private boolean atEnd;

    PredecessorListing(
            Gateway gateway, String table, JournalKeys keys, String index, Optional<String> afterId, int pageSize) {
        this.gateway = gateway;
        this.table = table;
        this.keys = keys;
        this.owner = new ItemOwner(keys);
        this.index = index;
        this.pageSize = pageSize;
        this.start = afterId.map(id -> keys.eventKey(id, 1));
    }

    @Override
    public CompletionStage<Optional<List<String>>> next() {
        if (atEnd) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return gateway.call(Call.QUERY, query(table, index, start, pageSize), gateway.budget())
                .exceptionallyCompose(thrown ->
                        CompletableFuture.failedFuture(MissingIndex.explain(thrown, table, index, WHAT_TO_DO)))
                .thenApply(response -> {
                    start = Pages.after(response);
                    atEnd = start.isEmpty();
                    return Optional.of(response.items().stream()
                            .flatMap(item -> firstEventOf(new Item(table, item)).stream())
                            .toList());
                });
    }

    /** Also event 101 and all others at the second place of a group are in the index. */
    private Optional<String> firstEventOf(Item item) {
        String partition = item.text(Attributes.PARTITION);
        return owner.of(item).filter(id -> partition.equals(keys.eventPartition(id, 0)));
    }

    static QueryRequest query(String table, String index, Optional<Map<String, AttributeValue>> start, int pageSize) {
        QueryRequest.Builder query = QueryRequest.builder()
                .tableName(table)
                .indexName(index)
                .keyConditionExpression(Attributes.NUMBER + " = :first")
                .expressionAttributeValues(Map.of(":first", EventItems.number(1)))
                .limit(pageSize);
        start.ifPresent(query::exclusiveStartKey);
        return query.build();
    }
}
