package io.varve.store.internal.delete;

import io.varve.store.internal.async.Concurrently;
import io.varve.store.internal.client.Budget;
import io.varve.store.internal.client.WriteResult;
import io.varve.store.internal.layout.Attributes;
import io.varve.store.internal.layout.EventId;
import io.varve.store.internal.layout.EventItems;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.layout.LastWritten;
import io.varve.store.internal.layout.StandIn;
import io.varve.store.internal.replay.EventLookup;
import io.varve.store.internal.replay.Marks;
import io.varve.store.internal.table.JournalTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/** Deletes an entity's events up to a sequence number. */
public final class EventDeleter {
    private static final int BATCH = 25;
    private static final String IF_HIGHER =
            "attribute_not_exists(" + Attributes.PARTITION + ") OR " + Attributes.SEQUENCE_NUMBER + " < :seq";

    private final int parallelism;

    /** A deleter with up to {@code parallelism} batches under way. */
    public EventDeleter(int parallelism) {
        this.parallelism = parallelism;
    }

    /** A deletion that is decided: nobody replays its events any more, whether or not they are gone. */
    public interface Decided {
        /**
         * Takes the events away, as many as there are: each request has the time of the operation's budget for itself.
         *
         * @return up to where nothing is left now
         */
        CompletionStage<Long> finish();
    }

    /**
     * Decides to delete all events up to {@code to}, or to the head if that is lower.
     *
     * @param cleanTo up to where the caller knows that nothing is left of earlier deletions; 0 if it does not know
     */
    public CompletionStage<Decided> decide(
            JournalTable table, String persistenceId, long to, LastWritten head, long cleanTo, Budget budget) {
        table.keys().check(persistenceId);
        CompletionStage<Long> last = to < head.sequenceNumber() && to > 0
                ? EventLookup.endOfDeletion(table, new EventId(persistenceId, to), budget)
                : CompletableFuture.completedFuture(head.sequenceNumber());
        return Marks.read(table, persistenceId, budget)
                .thenCombine(
                        last,
                        (marks, end) -> decide(table, persistenceId, Math.min(to, end), head, marks, cleanTo, budget))
                .thenCompose(decided -> decided);
    }

    private CompletionStage<Decided> decide(
            JournalTable table,
            String persistenceId,
            long to,
            LastWritten head,
            Marks marks,
            long cleanTo,
            Budget budget) {
        long begin = Math.max(1, marks.low());
        long end = Math.max(to, begin - 1);
        boolean mayBeUnfinished = marks.deleteFrom() > 0 && cleanTo < marks.low() - 1;
        long from = mayBeUnfinished ? marks.deleteFrom() : begin;
        Decided decided = () -> Leftovers.delete(table, persistenceId, from, begin - 1, budget)
                .thenCompose(done -> deleteAll(table, persistenceId, begin, end, head, budget))
                .thenApply(done -> end);
        if (begin > end) {
            return CompletableFuture.completedFuture(decided);
        }
        return keepListed(table, persistenceId, begin, budget)
                .thenCompose(listed -> raiseLowMark(table, persistenceId, from, end + 1, marks, head, budget))
                .thenApply(raised -> decided);
    }

    /**
     * The head goes last, when all others have gone: a node of a predecessor takes the last event that it finds for the highest
     * number, also one that a deletion has left which stopped half-way.
     */
    private CompletionStage<Void> deleteAll(
            JournalTable table, String persistenceId, long begin, long end, LastWritten head, Budget budget) {
        if (end < head.sequenceNumber() || begin > end) {
            return deleteRange(table, persistenceId, begin, end, budget);
        }
        return deleteRange(table, persistenceId, begin, end - 1, budget)
                .thenCompose(others -> deleteRange(table, persistenceId, end, end, budget));
    }

    private CompletionStage<Void> deleteRange(
            JournalTable table, String persistenceId, long begin, long end, Budget budget) {
        return Concurrently.run(
                () -> new Batches(table.keys(), persistenceId, begin, end),
                parallelism,
                batch -> table.gateway().batchWrite(table.name(), batch, budget.renewed()));
    }

    private static CompletionStage<Void> keepListed(
            JournalTable table, String persistenceId, long begin, Budget budget) {
        if (begin > 1 || !JournalKeys.canBeListed(persistenceId)) {
            return CompletableFuture.completedFuture(null);
        }
        return table.gateway()
                .putItem(StandIn.put(table.name(), table.keys(), persistenceId), budget)
                .thenAccept(done -> {});
    }

    private static CompletionStage<WriteResult> raiseLowMark(
            JournalTable table,
            String persistenceId,
            long from,
            long low,
            Marks marks,
            LastWritten head,
            Budget budget) {
        Map<String, AttributeValue> mark = new HashMap<>(table.keys().lowKey(persistenceId, table.markShard(low)));
        mark.put(Attributes.SEQUENCE_NUMBER, EventItems.number(low));
        mark.put(Attributes.DELETE_FROM, EventItems.number(from));
        mark.put(Attributes.TIMESTAMP, EventItems.number(Math.max(head.timestamp(), marks.timestamp())));
        PutItemRequest put = PutItemRequest.builder()
                .tableName(table.name())
                .item(mark)
                .conditionExpression(IF_HIGHER)
                .expressionAttributeValues(Map.of(":seq", EventItems.number(low)))
                .build();
        return table.gateway().putItem(put, budget);
    }

    static WriteRequest deletion(JournalKeys keys, String persistenceId, long sequenceNumber) {
        Map<String, AttributeValue> key = keys.eventKey(persistenceId, sequenceNumber);
        return WriteRequest.builder().deleteRequest(delete -> delete.key(key)).build();
    }

    /** The batches of a range, made one by one: the range may be long. */
    private static final class Batches implements Iterator<List<WriteRequest>> {
        private final JournalKeys keys;
        private final String persistenceId;
        private final long end;
        private long next;

        Batches(JournalKeys keys, String persistenceId, long begin, long end) {
            this.keys = keys;
            this.persistenceId = persistenceId;
            this.next = begin;
            this.end = end;
        }

        @Override
        public boolean hasNext() {
            return next <= end;
        }

        @Override
        public List<WriteRequest> next() {
            List<WriteRequest> batch = new ArrayList<>(BATCH);
            for (; next <= end && batch.size() < BATCH; next++) {
                batch.add(deletion(keys, persistenceId, next));
            }
            return batch;
        }
    }
}
