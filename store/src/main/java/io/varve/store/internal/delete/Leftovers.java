package io.varve.store.internal.delete;

import io.varve.store.internal.async.Loop;
import io.varve.store.internal.client.Budget;
import io.varve.store.internal.client.Call;
import io.varve.store.internal.client.Pages;
import io.varve.store.internal.layout.Attributes;
import io.varve.store.internal.layout.EventItems;
import io.varve.store.internal.layout.Item;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.table.JournalTable;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.LongStream;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/**
 * Deletes what an earlier deletion has left because it stopped half-way: looks first, for most often there is nothing. Group by
 * group, and of each the last event alone and last, as {@link Deletion} does.
 */
final class Leftovers {
    private final JournalTable table;
    private final String persistenceId;
    private final Budget budget;

    /** What is left of an entity; each request has the time of the budget for itself. */
    Leftovers(JournalTable table, String persistenceId, Budget budget) {
        this.table = table;
        this.persistenceId = persistenceId;
        this.budget = budget;
    }

    /** Deletes what is left between two numbers, both inclusive. */
    CompletionStage<Void> delete(long from, long to) {
        if (from > to) {
            return CompletableFuture.completedFuture(null);
        }
        return Loop.forEach(
                () -> LongStream.rangeClosed(JournalKeys.group(from), JournalKeys.group(to))
                        .iterator(),
                group -> deleteGroup(group, from, to));
    }

    private CompletionStage<Void> deleteGroup(long group, long from, long to) {
        return table.gateway()
                .call(Call.QUERY, query(group, from, to), budget.renewed())
                .thenCompose(found -> {
                    List<WriteRequest> deletions = found.items().stream()
                            .map(item -> new Item(table.name(), item)
                                    .number(Attributes.NUMBER, 0, JournalKeys.GROUP_SIZE - 1))
                            .map(number -> DeleteBatches.deletion(
                                    table.keys(), persistenceId, JournalKeys.groupStart(group) + number))
                            .toList();
                    if (Pages.after(found).isPresent()) {
                        return delete(deletions).thenCompose(done -> deleteGroup(group, from, to));
                    }
                    if (deletions.isEmpty()) {
                        return delete(deletions);
                    }
                    int others = deletions.size() - 1;
                    return delete(deletions.subList(0, others))
                            .thenCompose(done -> delete(deletions.subList(others, others + 1)));
                });
    }

    private CompletionStage<Void> delete(List<WriteRequest> deletions) {
        return table.gateway().batchWrite(table.name(), deletions, budget.renewed());
    }

    private QueryRequest query(long group, long from, long to) {
        long first = Math.max(from, JournalKeys.groupStart(group));
        long last = Math.min(to, JournalKeys.groupStart(group + 1) - 1);
        return QueryRequest.builder()
                .tableName(table.name())
                .consistentRead(true)
                .keyConditionExpression(
                        Attributes.PARTITION + " = :par AND " + Attributes.NUMBER + " BETWEEN :from AND :to")
                .expressionAttributeValues(Map.of(
                        ":par", AttributeValue.fromS(table.keys().eventPartition(persistenceId, group)),
                        ":from", EventItems.number(JournalKeys.number(first)),
                        ":to", EventItems.number(JournalKeys.number(last))))
                .projectionExpression(Attributes.NUMBER)
                .build();
    }
}
