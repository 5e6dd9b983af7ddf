package io.varve.store.internal.delete;

import io.varve.store.internal.async.Concurrently;
import io.varve.store.internal.client.Budget;
import io.varve.store.internal.client.Call;
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
 * group, and the last event of the last group alone and last: it may be the entity's.
 */
final class Leftovers {
    private final JournalTable table;
    private final String persistenceId;
    private final long from;
    private final long to;
    private final Budget budget;

    private Leftovers(JournalTable table, String persistenceId, long from, long to, Budget budget) {
        this.table = table;
        this.persistenceId = persistenceId;
        this.from = from;
        this.to = to;
        this.budget = budget;
    }

    /** Each request has the time of the budget for itself. */
    static CompletionStage<Void> delete(JournalTable table, String persistenceId, long from, long to, Budget budget) {
        if (from > to) {
            return CompletableFuture.completedFuture(null);
        }
        Leftovers leftovers = new Leftovers(table, persistenceId, from, to, budget);
        return Concurrently.run(
                () -> LongStream.rangeClosed(JournalKeys.group(from), JournalKeys.group(to))
                        .iterator(),
                1,
                leftovers::deleteGroup);
    }

    private CompletionStage<Void> deleteGroup(long group) {
        return table.gateway().call(Call.QUERY, query(group), budget.renewed()).thenCompose(found -> {
            List<WriteRequest> deletions = found.items().stream()
                    .map(item -> new Item(table.name(), item).number(Attributes.NUMBER, 0, JournalKeys.GROUP_SIZE - 1))
                    .map(number ->
                            EventDeleter.deletion(table.keys(), persistenceId, JournalKeys.groupStart(group) + number))
                    .toList();
            if (found.hasLastEvaluatedKey() && !found.lastEvaluatedKey().isEmpty()) {
                return delete(deletions).thenCompose(done -> deleteGroup(group));
            }
            if (group < JournalKeys.group(to) || deletions.isEmpty()) {
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

    private QueryRequest query(long group) {
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
