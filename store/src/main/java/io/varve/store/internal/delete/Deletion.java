package io.varve.store.internal.delete;

import io.varve.store.internal.async.Concurrently;
import io.varve.store.internal.client.Budget;
import io.varve.store.internal.client.WriteResult;
import io.varve.store.internal.layout.Attributes;
import io.varve.store.internal.layout.EventItems;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.layout.StandIn;
import io.varve.store.internal.table.JournalTable;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;

/** One deletion: its steps, in the order in which they must happen. */
final class Deletion implements EventDeleter.Decided {
    private static final String IF_HIGHER =
            "attribute_not_exists(" + Attributes.PARTITION + ") OR " + Attributes.SEQUENCE_NUMBER + " < :seq";

    private final JournalTable table;
    private final String persistenceId;
    private final DeletedNumbers numbers;
    private final int parallelism;
    private final Budget budget;

    Deletion(JournalTable table, String persistenceId, DeletedNumbers numbers, int parallelism, Budget budget) {
        this.table = table;
        this.persistenceId = persistenceId;
        this.numbers = numbers;
        this.parallelism = parallelism;
        this.budget = budget;
    }

    CompletionStage<EventDeleter.Decided> decide() {
        return numbers.isEmpty()
                ? CompletableFuture.completedFuture(this)
                : keepListed().thenCompose(listed -> raiseLowMark()).thenApply(raised -> this);
    }

    private CompletionStage<Void> keepListed() {
        if (numbers.begin() > 1 || !JournalKeys.canBeListed(persistenceId)) {
            return CompletableFuture.completedFuture(null);
        }
        return table.gateway()
                .putItem(StandIn.put(table.name(), table.keys(), persistenceId), budget)
                .thenAccept(done -> {});
    }

    private CompletionStage<WriteResult> raiseLowMark() {
        AttributeValue low = EventItems.number(numbers.low());
        Map<String, AttributeValue> mark =
                new HashMap<>(table.keys().lowKey(persistenceId, table.markShard(numbers.low())));
        mark.put(Attributes.SEQUENCE_NUMBER, low);
        mark.put(Attributes.DELETE_FROM, EventItems.number(numbers.from()));
        mark.put(Attributes.TIMESTAMP, EventItems.number(numbers.timestamp()));
        PutItemRequest put = PutItemRequest.builder()
                .tableName(table.name())
                .item(mark)
                .conditionExpression(IF_HIGHER)
                .expressionAttributeValues(Map.of(":seq", low))
                .build();
        return table.gateway().putItem(put, budget);
    }

    /**
     * The head goes when all others have gone: a node of a predecessor takes the last event that it finds for the highest number,
     * also one that a deletion has left which stopped half-way.
     */
    @Override
    public CompletionStage<Long> finish() {
        return new Leftovers(table, persistenceId, budget)
                .delete(numbers.from(), numbers.begin() - 1)
                .thenCompose(done -> delete(numbers::beforeHead))
                .thenCompose(done -> delete(numbers::head))
                .thenApply(done -> numbers.end());
    }

    private CompletionStage<Void> delete(Supplier<LongStream> some) {
        return Concurrently.run(
                () -> new DeleteBatches(table.keys(), persistenceId, some.get()),
                parallelism,
                batch -> table.gateway().batchWrite(table.name(), batch, budget.renewed()));
    }
}
