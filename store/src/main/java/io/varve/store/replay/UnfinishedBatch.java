package io.varve.store.replay;

import io.varve.store.client.Budget;
import io.varve.store.client.Concurrently;
import io.varve.store.client.WriteResult;
import io.varve.store.layout.Attributes;
import io.varve.store.layout.Event;
import io.varve.store.layout.JournalKeys;
import io.varve.store.table.JournalTable;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.services.dynamodb.model.Delete;
import software.amazon.awssdk.services.dynamodb.model.DeleteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/**
 * Removes what an atomic write has left that needed several transactions and was not finished, so that its sequence numbers can be
 * used again. {@code append.Appender} explains why this and the writer, should it still be alive, cannot both win.
 */
final class UnfinishedBatch {
    private static final Logger LOG = LoggerFactory.getLogger(UnfinishedBatch.class);
    private static final String THIS_BATCH = Attributes.BATCH + " = :batch";
    private static final int PARALLEL_DELETES = 4;

    private final JournalTable table;
    private final Event last;
    private final Map<String, AttributeValue> batch;
    private final Budget budget;

    private UnfinishedBatch(JournalTable table, Event last, Budget budget) {
        this.table = table;
        this.last = last;
        this.batch = Map.of(
                ":batch",
                AttributeValue.fromS(last.batch().flatMap(Event.Batch::id).orElseThrow()));
        this.budget = budget;
    }

    /** Whether an entity's last event shows that its atomic write is not finished. */
    static boolean isPartOf(Event last) {
        return last.batch().flatMap(Event.Batch::id).isPresent() && last.sequenceNumber() < last.batchEnd();
    }

    static CompletionStage<Void> remove(JournalTable table, Event last, Budget budget) {
        UnfinishedBatch unfinished = new UnfinishedBatch(table, last, budget);
        return unfinished.fence().thenCompose(fenced -> {
            if (!fenced) {
                return CompletableFuture.completedFuture(null);
            }
            LOG.info(
                    "Removing an unfinished atomic write of '{}' that began at {}; it was never acknowledged.",
                    last.persistenceId(),
                    last.batchStart());
            return unfinished.deleteFrom(last.batchStart() + 1);
        });
    }

    /** Takes the first event away unless the last one has arrived; false if it has. */
    private CompletionStage<Boolean> fence() {
        TransactWriteItem takeFirst = TransactWriteItem.builder()
                .delete(Delete.builder()
                        .tableName(table.name())
                        .key(table.keys().eventKey(last.persistenceId(), last.batchStart()))
                        .conditionExpression("attribute_not_exists(" + Attributes.PARTITION + ") OR " + THIS_BATCH)
                        .expressionAttributeValues(batch)
                        .build())
                .build();
        TransactWriteItem lastIsMissing = TransactWriteItem.builder()
                .conditionCheck(ConditionCheck.builder()
                        .tableName(table.name())
                        .key(table.keys().eventKey(last.persistenceId(), last.batchEnd()))
                        .conditionExpression("attribute_not_exists(" + Attributes.BATCH + ") OR NOT " + THIS_BATCH)
                        .expressionAttributeValues(batch)
                        .build())
                .build();
        return table.gateway()
                .transactWriteItems(List.of(takeFirst, lastIsMissing), budget)
                .thenApply(result -> !(result instanceof WriteResult.ConditionFailed failed)
                        || !failed.existing()
                                .containsKey(1)); // only the first one taken: its place is another's already
    }

    private CompletionStage<Void> deleteFrom(long sequenceNumber) {
        long group = JournalKeys.group(sequenceNumber);
        if (sequenceNumber > last.batchEnd()) {
            return CompletableFuture.completedFuture(null);
        }
        return new Groups(table, last.persistenceId())
                .page(group, JournalKeys.number(sequenceNumber), budget)
                .thenCompose(page -> Concurrently.run(
                                page.events().stream()
                                        .filter(this::isOfThisBatch)
                                        .toList(),
                                PARALLEL_DELETES,
                                this::delete)
                        .thenCompose(done -> deleteFrom(
                                JournalKeys.groupStart(group) + page.next().orElse(JournalKeys.GROUP_SIZE))));
    }

    private boolean isOfThisBatch(Event event) {
        Optional<String> id = event.batch().flatMap(Event.Batch::id);
        return id.isPresent() && id.equals(last.batch().flatMap(Event.Batch::id));
    }

    private CompletionStage<WriteResult> delete(Event event) {
        return table.gateway()
                .deleteItem(
                        DeleteItemRequest.builder()
                                .tableName(table.name())
                                .key(table.keys().eventKey(event.persistenceId(), event.sequenceNumber()))
                                .conditionExpression(THIS_BATCH)
                                .expressionAttributeValues(batch)
                                .build(),
                        budget);
    }
}
