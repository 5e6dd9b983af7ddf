package io.varve.store.delete;

import io.varve.store.client.Call;
import io.varve.store.client.Concurrently;
import io.varve.store.layout.Attributes;
import io.varve.store.layout.EventItems;
import io.varve.store.layout.Item;
import io.varve.store.layout.JournalKeys;
import io.varve.store.table.JournalTable;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.stream.LongStream;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/** Deletes what an earlier deletion has left because it stopped half-way: looks first, for most often there is nothing. */
final class Leftovers {
    private Leftovers() {}

    static CompletionStage<Void> delete(JournalTable table, String persistenceId, long from, long to) {
        return Concurrently.run(
                () -> LongStream.rangeClosed(JournalKeys.group(from), JournalKeys.group(to))
                        .iterator(),
                1,
                group -> deleteGroup(
                        table,
                        persistenceId,
                        group,
                        Math.max(from, JournalKeys.groupStart(group)),
                        Math.min(to, JournalKeys.groupStart(group + 1) - 1)));
    }

    private static CompletionStage<Void> deleteGroup(
            JournalTable table, String persistenceId, long group, long from, long to) {
        QueryRequest query = QueryRequest.builder()
                .tableName(table.name())
                .consistentRead(true)
                .keyConditionExpression(
                        Attributes.PARTITION + " = :par AND " + Attributes.NUMBER + " BETWEEN :from AND :to")
                .expressionAttributeValues(Map.of(
                        ":par", AttributeValue.fromS(table.keys().eventPartition(persistenceId, group)),
                        ":from", EventItems.number(JournalKeys.number(from)),
                        ":to", EventItems.number(JournalKeys.number(to))))
                .projectionExpression(Attributes.NUMBER)
                .build();
        return table.gateway().call(Call.QUERY, query, table.gateway().budget()).thenCompose(found -> {
            List<WriteRequest> deletions = found.items().stream()
                    .map(item -> new Item(table.name(), item).number(Attributes.NUMBER, 0, JournalKeys.GROUP_SIZE - 1))
                    .map(number ->
                            EventDeleter.deletion(table.keys(), persistenceId, JournalKeys.groupStart(group) + number))
                    .toList();
            CompletionStage<Void> deleted = table.gateway()
                    .batchWrite(table.name(), deletions, table.gateway().budget());
            return found.hasLastEvaluatedKey() && !found.lastEvaluatedKey().isEmpty()
                    ? deleted.thenCompose(done -> deleteGroup(table, persistenceId, group, from, to))
                    : deleted;
        });
    }
}
