package io.varve.store.internal.table;

import io.varve.store.FailureKind;
import io.varve.store.StoreException;
import io.varve.store.TableException;
import io.varve.store.internal.async.Causes;
import io.varve.store.internal.client.Budget;
import io.varve.store.internal.client.Call;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.client.Pages;
import io.varve.store.internal.client.WriteResult;
import io.varve.store.internal.layout.Attributes;
import io.varve.store.internal.layout.EventItems;
import io.varve.store.internal.layout.Item;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.layout.JournalMeta;
import io.varve.store.table.Difference;
import io.varve.store.table.Tables;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.DescribeTableRequest;
import software.amazon.awssdk.services.dynamodb.model.GetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.ScanRequest;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;

/**
 * Finds, or fixes for good, the shard numbers of a journal-name.
 *
 * <p>Marks are spread over shards that every reader must look at, so all nodes have to agree on their number; the number is kept
 * in the table. Where none is kept yet, an empty table gets one shard, and a table that may be shared with a predecessor gets the
 * predecessors' ten.
 */
public final class JournalMetaLoader {
    private static final Logger LOG = LoggerFactory.getLogger(JournalMetaLoader.class);
    private static final int SHARDS_OF_A_NEW_TABLE = 1;
    private static final int SHARDS_OF_THE_PREDECESSORS = 10;

    private final Gateway gateway;
    private final String table;
    private final JournalKeys keys;
    private final OptionalInt sequenceShards;
    private final int indexShards;

    /** For a journal-name with this configuration; the sequence shards are absent for {@code auto}. */
    public JournalMetaLoader(
            Gateway gateway, String table, JournalKeys keys, OptionalInt sequenceShards, int indexShards) {
        this.gateway = gateway;
        this.table = table;
        this.keys = keys;
        this.sequenceShards = sequenceShards;
        this.indexShards = indexShards;
    }

    /** The shard numbers that hold; fails if the configuration contradicts what the table keeps. */
    public CompletionStage<JournalMeta> load() {
        Budget budget = gateway.budget();
        return stored(budget)
                .thenCompose(stored -> stored.isPresent() ? agree(stored.get(), budget) : begin(budget))
                .exceptionallyCompose(thrown -> explain(thrown, budget));
    }

    /** The shard numbers for who only reads, if the table keeps any: never fewer than are in use. */
    public CompletionStage<Optional<JournalMeta>> find() {
        Budget budget = gateway.budget();
        return stored(budget)
                .thenApply(stored -> stored.map(this::withSameIndex)
                        .map(meta -> new JournalMeta(
                                Math.max(meta.sequenceShards(), sequenceShards.orElse(0)), indexShards)))
                .exceptionallyCompose(thrown -> explain(thrown, budget));
    }

    /** The shard numbers for who only reads while the table keeps none: a journal that begins now has no more. */
    public JournalMeta assumed() {
        return new JournalMeta(sequenceShards.orElse(SHARDS_OF_THE_PREDECESSORS), indexShards);
    }

    private CompletionStage<Optional<JournalMeta>> stored(Budget budget) {
        GetItemRequest get = GetItemRequest.builder()
                .tableName(table)
                .key(keys.metaKey())
                .consistentRead(true)
                .build();
        return gateway.call(Call.GET_ITEM, get, budget)
                .thenApply(found -> found.hasItem() && !found.item().isEmpty()
                        ? Optional.of(JournalMeta.decode(new Item(table, found.item())))
                        : Optional.empty());
    }

    /** A table with other keys refuses the first request in words that do not help: then they are compared. */
    private <T> CompletionStage<T> explain(Throwable thrown, Budget budget) {
        Throwable cause = Causes.unwrap(thrown);
        if (!(cause instanceof StoreException refused) || refused.kind() != FailureKind.REFUSED) {
            return CompletableFuture.failedFuture(cause);
        }
        return gateway.call(
                        Call.DESCRIBE_TABLE,
                        DescribeTableRequest.builder().tableName(table).build(),
                        budget)
                .handle((described, unknown) -> unknown == null
                        ? TableComparison.compare(Tables.journal(table), described.table()).stream()
                                .filter(Difference::blocking)
                                .toList()
                        : List.<Difference>of())
                .thenCompose(differences -> CompletableFuture.failedFuture(
                        differences.isEmpty()
                                ? cause
                                : new TableException("This table cannot be used as a journal: " + differences)));
    }

    private CompletionStage<JournalMeta> begin(Budget budget) {
        return firstShards(budget).thenCompose(shards -> {
            JournalMeta meta = new JournalMeta(shards, indexShards);
            PutItemRequest put = PutItemRequest.builder()
                    .tableName(table)
                    .item(meta.encode(keys))
                    .conditionExpression("attribute_not_exists(" + Attributes.PARTITION + ")")
                    .build();
            // Whoever comes second takes what the first one has fixed.
            return gateway.putItem(put, budget)
                    .thenCompose(result ->
                            result instanceof WriteResult.Applied ? CompletableFuture.completedFuture(meta) : load());
        });
    }

    private CompletionStage<Integer> firstShards(Budget budget) {
        if (sequenceShards.isPresent()) {
            return CompletableFuture.completedFuture(sequenceShards.getAsInt());
        }
        ScanRequest any = ScanRequest.builder()
                .tableName(table)
                .limit(1)
                .consistentRead(true)
                .build();
        return gateway.call(Call.SCAN, any, budget)
                .thenApply(
                        found -> found.items().isEmpty() && Pages.after(found).isEmpty()
                                ? SHARDS_OF_A_NEW_TABLE
                                : SHARDS_OF_THE_PREDECESSORS);
    }

    private JournalMeta withSameIndex(JournalMeta stored) {
        if (stored.indexShards() != indexShards) {
            throw new TableException("slice-index.shards is " + indexShards + ", but the journal '" + keys.journalName()
                    + "' in table '" + table + "' was begun with " + stored.indexShards()
                    + " and keeps that number for life: set slice-index.shards = " + stored.indexShards() + ".");
        }
        return stored;
    }

    private CompletionStage<JournalMeta> agree(JournalMeta found, Budget budget) {
        JournalMeta stored = withSameIndex(found);
        int wanted = sequenceShards.orElse(stored.sequenceShards());
        if (wanted < stored.sequenceShards()) {
            throw new TableException("sequence-shards is " + wanted + ", but the journal '" + keys.journalName()
                    + "' in table '" + table + "' has marks in " + stored.sequenceShards()
                    + " shards, and some would no longer be read: set sequence-shards = auto, or at least "
                    + stored.sequenceShards() + ".");
        }
        return wanted == stored.sequenceShards()
                ? CompletableFuture.completedFuture(stored)
                : raise(new JournalMeta(wanted, indexShards, stored.taggedTypes()), budget);
    }

    private CompletionStage<JournalMeta> raise(JournalMeta raised, Budget budget) {
        AttributeValue shards = EventItems.number(raised.sequenceShards());
        UpdateItemRequest update = UpdateItemRequest.builder()
                .tableName(table)
                .key(keys.metaKey())
                .updateExpression("SET " + JournalMeta.SEQUENCE_SHARDS + " = :shards")
                .conditionExpression(JournalMeta.SEQUENCE_SHARDS + " < :shards")
                .expressionAttributeValues(Map.of(":shards", shards))
                .build();
        return gateway.updateItem(update, budget).thenCompose(result -> {
            if (result instanceof WriteResult.Applied) {
                LOG.warn(
                        "The journal '{}' in table '{}' now has {} sequence shards. Nodes that started before this one look at"
                                + " fewer and may overlook marks: stop them now, all at once.",
                        keys.journalName(),
                        table,
                        raised.sequenceShards());
                return CompletableFuture.completedFuture(raised);
            }
            return load();
        });
    }
}
