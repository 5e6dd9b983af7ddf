package io.varve.store.internal.entity;

import io.varve.store.internal.client.Call;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.client.Pages;
import io.varve.store.internal.layout.Attributes;
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
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.QueryResponse;

/**
 * Lists {@code pid-idx}, bucket by bucket.
 *
 * <p>Each page asks for the ids after the last one, so an entity that has two entries for a moment (its first event and the
 * stand-in) is not listed again when they fall on two pages.
 */
final class IndexListing implements Listing {
    private static final String WHAT_TO_DO = "Set persistence-ids.source of dynamodb-read-journal to scan, or to"
            + " predecessor-index if the table has that index, or add '" + Tables.PERSISTENCE_ID_INDEX
            + "' with UpdateTable as docs/guide/tables.md says.";

    private final Gateway gateway;
    private final String table;
    private final JournalKeys keys;
    private final ItemOwner owner;
    private final int pageSize;
    private int bucket;
    private Optional<String> after;

    IndexListing(Gateway gateway, String table, JournalKeys keys, Optional<String> afterId, int pageSize) {
        this.gateway = gateway;
        this.table = table;
        this.keys = keys;
        this.owner = new ItemOwner(keys);
        this.pageSize = pageSize;
        this.bucket = afterId.map(JournalKeys::bucketNumber).orElse(0);
        this.after = afterId;
    }

    @Override
    public CompletionStage<Optional<List<String>>> next() {
        if (bucket == JournalKeys.BUCKETS) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        QueryRequest query = query(table, keys.bucket(bucket), after, pageSize);
        return gateway.call(Call.QUERY, query, gateway.budget())
                .exceptionallyCompose(thrown -> CompletableFuture.failedFuture(
                        MissingIndex.explain(thrown, table, Tables.PERSISTENCE_ID_INDEX, WHAT_TO_DO)))
                .thenApply(response -> {
                    advance(response);
                    return Optional.of(response.items().stream()
                            .flatMap(item -> owner.of(new Item(table, item)).stream())
                            .distinct()
                            .toList());
                });
    }

    private void advance(QueryResponse response) {
        after = Pages.after(response).flatMap(key -> new Item(table, key).findText(Attributes.PERSISTENCE_ID));
        if (after.isEmpty()) {
            bucket++;
        }
    }

    static QueryRequest query(String table, String bucket, Optional<String> after, int pageSize) {
        String inBucket = Attributes.PERSISTENCE_ID_BUCKET + " = :bucket";
        AttributeValue hash = AttributeValue.fromS(bucket);
        return QueryRequest.builder()
                .tableName(table)
                .indexName(Tables.PERSISTENCE_ID_INDEX)
                .keyConditionExpression(
                        after.isPresent() ? inBucket + " AND " + Attributes.PERSISTENCE_ID + " > :after" : inBucket)
                .expressionAttributeValues(after.map(id -> Map.of(":bucket", hash, ":after", AttributeValue.fromS(id)))
                        .orElse(Map.of(":bucket", hash)))
                .limit(pageSize)
                .build();
    }
}
