package io.varve.store.internal.snapshot;

import io.varve.store.VarveException;
import io.varve.store.internal.async.Loop;
import io.varve.store.internal.async.Surroundings;
import io.varve.store.internal.client.WriteResult;
import io.varve.store.internal.layout.EventItems;
import io.varve.store.internal.layout.Item;
import io.varve.store.internal.layout.Microseconds;
import io.varve.store.internal.layout.SnapshotKeys;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.Update;

/**
 * The list of an entity's sets of parts, so that those of an interrupted save are found again.
 *
 * <p>Five rules hold, whatever order requests arrive in, also those that were given up and sent again:
 *
 * <ol>
 *   <li>An entry is made only where there is none, before the first part is sent.
 *   <li>A head that names a set is written only together with a check that the set's entry is there and not doomed.
 *   <li>An entry is doomed only together with a check that no head names its set, and stays doomed.
 *   <li>Parts are removed only after their entry was doomed.
 *   <li>A doomed entry is removed only when no part can arrive any more: its save has had all its answers, or the time until
 *       which it may write has passed.
 * </ol>
 *
 * <p>By 2, 3 and 4 there is never a head without its parts. By 1 and 5 there is never a part that no entry tells of.
 */
final class PartList {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotStore.class);
    /** The later that a request can arrive than it was given up: AWS refuses signatures after five minutes; the rest is for clocks. */
    static final Duration LATE = Duration.ofMinutes(15);

    private static final String OF_SEQUENCE_NUMBER = "of_seq";
    private static final String WRITING_UNTIL = "writing_until";
    private static final String DOOMED = "doomed";
    private static final long MAX_SAVE = 1L << 53;

    private static final long MAX_TIME = Microseconds.toMillis(Item.LAST_TIMESTAMP);
    private static final String EXISTS = "attribute_exists(" + SnapshotKeys.PARTITION + ")";
    private static final CompletionStage<Void> DONE = CompletableFuture.completedFuture(null);
    private static final CompletionStage<Boolean> NOT_DELETED = CompletableFuture.completedFuture(false);

    private final String table;
    private final SnapshotKeys keys;
    private final InstantSource clock;
    private final Surroundings surroundings;
    private final Set<Long> underWay = ConcurrentHashMap.newKeySet();

    PartList(String table, SnapshotKeys keys, InstantSource clock, Surroundings surroundings) {
        this.table = table;
        this.keys = keys;
        this.clock = clock;
        this.surroundings = surroundings;
    }

    /**
     * An entry.
     *
     * @param save the number of the save, which is the entry's key in the list
     * @param writingUntil until when parts can arrive
     */
    record Entry(String persistenceId, long save, PartSet set, boolean doomed, Instant writingUntil) {}

    /** An entry for a save that has so much time; nothing is sent yet. */
    Entry draw(String persistenceId, long sequenceNumber, int parts, Duration time) {
        long save = 1 + (long) (surroundings.chance() * (MAX_SAVE - 1));
        String key = keys.partKey(persistenceId, sequenceNumber, save);
        PartSet set = new PartSet(key, sequenceNumber, parts, PartSet.CURRENT_FORM);
        return new Entry(
                persistenceId, save, set, false, clock.instant().plus(time).plus(LATE));
    }

    /** Runs a save, which the clean-ups of this very node leave alone meanwhile. */
    CompletionStage<Void> protecting(Entry entry, Supplier<CompletionStage<Void>> save) {
        underWay.add(entry.save());
        return DONE.thenCompose(protecting -> save.get()).whenComplete((done, thrown) -> underWay.remove(entry.save()));
    }

    /** Makes the entry. */
    CompletionStage<Void> open(SnapshotRequests requests, Entry entry) {
        return requests.create(item(entry)).thenAccept(created -> {
            if (created instanceof WriteResult.ConditionFailed exists && !exists.afterUncertainAttempt()) {
                throw new VarveException(
                        "The snapshot " + entry.set().sequenceNumber() + " of '" + entry.persistenceId()
                                + "' was not saved: another save has drawn the same number. Save again.");
            }
        });
    }

    /** What has to hold when the head is written; if all parts have had their answers, the entry says that none will come. */
    TransactWriteItem confirm(Entry entry, boolean unanswered) {
        long until = unanswered ? entry.writingUntil().toEpochMilli() : 0;
        return update(
                entry, WRITING_UNTIL, EventItems.number(until), EXISTS + " AND attribute_not_exists(" + DOOMED + ")");
    }

    /** Ends a save whose entry was doomed: it removes what it wrote, and the entry, too, if nothing of it can arrive any more. */
    CompletionStage<Void> giveUp(SnapshotRequests requests, Entry entry) {
        return orLog(entry.persistenceId(), remove(requests, entry, requests.unanswered()))
                .thenAccept(cleaned -> {
                    throw new VarveException("The snapshot " + entry.set().sequenceNumber() + " of '"
                            + entry.persistenceId()
                            + "' was not saved: another node has cleaned up its parts meanwhile. Two instances of this"
                            + " entity are running, or this save took very long.");
                });
    }

    /** Removes the sets of an entity that no head names. If that fails, the next clean-up does it. */
    CompletionStage<Void> cleanUpOrLog(SnapshotRequests requests, String persistenceId) {
        return orLog(persistenceId, cleanUp(requests, persistenceId));
    }

    private static CompletionStage<Void> orLog(String persistenceId, CompletionStage<Void> cleaning) {
        return cleaning.exceptionally(thrown -> {
            LOG.warn(
                    "Parts of older snapshots of '{}' could not be removed; the next save in parts or delete will try again.",
                    persistenceId,
                    thrown);
            return null;
        });
    }

    /** Removes the sets of an entity that no head names, but for those that this node is writing. */
    CompletionStage<Void> cleanUp(SnapshotRequests requests, String persistenceId) {
        return cleanUp(requests, persistenceId, entry -> NOT_DELETED);
    }

    /**
     * As the other one, after snapshots were deleted. The head of a save that was given up can arrive after those were looked for: the
     * caller says which sets must have none.
     *
     * @param deleteHead deletes the head that names a set, if there is one that was to be deleted; returns whether it has
     */
    CompletionStage<Void> cleanUp(
            SnapshotRequests requests, String persistenceId, Function<Entry, CompletionStage<Boolean>> deleteHead) {
        List<Entry> entries = new ArrayList<>();
        QueryRequest.Builder query = QueryRequest.builder()
                .keyConditionExpression(SnapshotKeys.PARTITION + " = :par")
                .expressionAttributeValues(Map.of(":par", AttributeValue.fromS(keys.partListPartition(persistenceId))));
        return requests.pages(query, item -> find(persistenceId, item).ifPresent(entries::add))
                .thenCompose(listed -> Loop.forEach(entries, entry -> cleanUp(requests, entry, deleteHead)));
    }

    /** An entry, if it is one of this entity that can be read, and of no save of this node. */
    private Optional<Entry> find(String persistenceId, Item item) {
        if (!item.has(OF_SEQUENCE_NUMBER)) {
            return Optional.empty(); // a part of another entity, if this entity's id looks like that part's key
        }
        try {
            return Optional.of(read(persistenceId, item)).filter(entry -> !underWay.contains(entry.save()));
        } catch (VarveException e) {
            LOG.warn(
                    "An entry in the list of parts of '{}' cannot be read. It is left as it is; its parts, if it has any,"
                            + " are not removed.",
                    persistenceId,
                    e);
            return Optional.empty();
        }
    }

    Entry read(String persistenceId, Item item) {
        long save = item.number(SnapshotKeys.SEQUENCE_NUMBER, 1, MAX_SAVE);
        long of = item.number(OF_SEQUENCE_NUMBER, 0, Long.MAX_VALUE);
        PartSet set = PartSet.of(item, keys.partKey(persistenceId, of, save), of);
        long until = item.findNumber(WRITING_UNTIL, 0, MAX_TIME).orElse(0);
        return new Entry(persistenceId, save, set, item.flag(DOOMED), Instant.ofEpochMilli(until));
    }

    private CompletionStage<Void> cleanUp(
            SnapshotRequests requests, Entry entry, Function<Entry, CompletionStage<Boolean>> deleteHead) {
        boolean open = entry.writingUntil().isAfter(clock.instant());
        if (entry.doomed()) {
            return open ? DONE : remove(requests, entry, false);
        }
        return doom(requests, entry)
                .thenCompose(doomed -> doomed
                        ? remove(requests, entry, open)
                        : deleteHead
                                .apply(entry)
                                .thenCompose(
                                        deleted -> deleted ? cleanUp(requests, entry, again -> NOT_DELETED) : DONE));
    }

    /** Dooms a set, unless a head names it: then false. */
    private CompletionStage<Boolean> doom(SnapshotRequests requests, Entry entry) {
        return requests.transact(update(entry, DOOMED, AttributeValue.fromBool(true), EXISTS), noHeadNames(entry))
                .thenApply(result -> !(result instanceof WriteResult.ConditionFailed));
    }

    /** Removes the parts of a doomed set, and its entry if no part can arrive any more. */
    private CompletionStage<Void> remove(SnapshotRequests requests, Entry entry, boolean open) {
        return requests.delete(entry.set().keys(0, entry.set().count()))
                .thenCompose(gone -> open ? DONE : requests.delete(List.of(key(entry))));
    }

    Map<String, AttributeValue> item(Entry entry) {
        Map<String, AttributeValue> item = new HashMap<>(key(entry));
        item.put(OF_SEQUENCE_NUMBER, EventItems.number(entry.set().sequenceNumber()));
        item.put(WRITING_UNTIL, EventItems.number(entry.writingUntil().toEpochMilli()));
        entry.set().describe(item);
        return item;
    }

    private TransactWriteItem update(Entry entry, String attribute, AttributeValue value, String condition) {
        return TransactWriteItem.builder()
                .update(Update.builder()
                        .tableName(table)
                        .key(key(entry))
                        .updateExpression("SET " + attribute + " = :value")
                        .conditionExpression(condition)
                        .expressionAttributeValues(Map.of(":value", value))
                        .build())
                .build();
    }

    private TransactWriteItem noHeadNames(Entry entry) {
        return TransactWriteItem.builder()
                .conditionCheck(ConditionCheck.builder()
                        .tableName(table)
                        .key(keys.key(entry.persistenceId(), entry.set().sequenceNumber()))
                        .conditionExpression("attribute_not_exists(" + SnapshotItems.PART_KEY + ") OR NOT "
                                + SnapshotItems.PART_KEY + " = :set")
                        .expressionAttributeValues(
                                Map.of(":set", AttributeValue.fromS(entry.set().key())))
                        .build())
                .build();
    }

    private Map<String, AttributeValue> key(Entry entry) {
        return SnapshotKeys.itemKey(keys.partListPartition(entry.persistenceId()), entry.save());
    }
}
