package io.varve.store.internal.offset;

import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.client.Pages;
import io.varve.store.internal.client.WriteResult;
import io.varve.store.internal.layout.EventItems;
import io.varve.store.internal.layout.Item;
import io.varve.store.internal.layout.Microseconds;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.DeleteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.Put;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.Update;

/**
 * The entities of a projection that are set aside.
 *
 * <p>Two items say so, and are written together: a mark in the entity's row, which is found by whoever loads the row, and which
 * everything that is stored of the entity replaces; and a row in a list of the projection. Events of a marked entity are left alone,
 * and places move past them. So the list keeps the entity until an instance has read the journal after the mark was gone, and has
 * stored what it found: a listed entity without a mark is one whose events may have been passed by.
 */
public final class ParkedRows {
    private static final int LONGEST_REASON = 1_000;
    private static final String REMOVE_MARK = " REMOVE park_seq, park_ts, park_epoch, park_retry";
    private static final String RETRY = "retry";
    private static final String GIVE_UP = "give-up";

    private final Gateway gateway;
    private final OffsetRows rows;
    private final OffsetSettings settings;
    private final InstantSource clock;

    /** Those of a projection of that name. */
    public ParkedRows(Gateway gateway, String table, String projection, OffsetSettings settings, InstantSource clock) {
        this.gateway = gateway;
        this.rows = new OffsetRows(table, projection, Optional.empty(), true);
        this.settings = settings;
        this.clock = clock;
    }

    /** All that are listed, of all entity types. */
    public CompletionStage<List<ParkedRow>> list() {
        QueryRequest query = QueryRequest.builder()
                .tableName(rows.table())
                .consistentRead(true)
                .keyConditionExpression(OffsetRows.NAME_SLICE + " = :list")
                .expressionAttributeValues(Map.of(":list", AttributeValue.fromS(rows.parkedPartition())))
                .build();
        List<ParkedRow> found = new ArrayList<>();
        return Pages.forEach(gateway, query, gateway.budget(), page -> {
                    page.items().forEach(item -> found.add(decode(new Item(rows.table(), item))));
                    return CompletableFuture.completedFuture(null);
                })
                .thenApply(done -> List.copyOf(found));
    }

    private static ParkedRow decode(Item item) {
        String order = item.findText(OffsetRows.ORDER).orElse("");
        return new ParkedRow(
                OffsetRows.lastProcessed(item),
                Microseconds.toInstant(item.findTimestamp(OffsetRows.PARKED_AT).orElse(0)),
                item.findText(OffsetRows.REASON).orElse(""),
                switch (order) {
                    case "" -> ParkedRow.Order.NONE;
                    case GIVE_UP -> ParkedRow.Order.GIVE_UP;
                    default -> ParkedRow.Order.RETRY;
                });
    }

    /**
     * Sets an entity aside at an event, on condition that nobody has processed that event, and nobody has set the offset since.
     *
     * @param fenced whether the entity's events are stored in transactions
     * @return whether it did
     */
    public CompletionStage<Boolean> park(Advance event, String reason, boolean fenced, SetOffsets sets) {
        LastProcessed at = event.first();
        long epoch = EntityTransactions.epoch(at, sets);
        Instant now = clock.instant();
        Put processed = rows.put(Map.of(), event, epoch, now, settings.acceptResetAfter());
        Map<String, AttributeValue> values = new HashMap<>(processed.expressionAttributeValues());
        values.put(":seq", EventItems.number(at.sequenceNumber()));
        values.put(":at", EventItems.number(at.timestamp()));
        String kind = fenced ? epoch > 0 ? ", epoch = :epoch" : "" : ", saved = :epoch";
        Map<String, AttributeValue> listed = new HashMap<>(rows.parkedKey(at.persistenceId()));
        listed.put(OffsetRows.SEQUENCE_NUMBER, EventItems.number(at.sequenceNumber()));
        listed.put(OffsetRows.TIMESTAMP, EventItems.number(at.timestamp()));
        listed.put(OffsetRows.PARKED_AT, EventItems.number(Microseconds.of(now)));
        listed.put(OffsetRows.REASON, AttributeValue.fromS(shortened(reason)));
        return applied(List.of(
                TransactWriteItem.builder()
                        .update(Update.builder()
                                .tableName(rows.table())
                                .key(rows.entityKey(at.persistenceId()))
                                .updateExpression("SET park_seq = :seq, park_ts = :at, park_epoch = :epoch" + kind
                                        + " REMOVE expiry, park_retry")
                                .conditionExpression(processed.conditionExpression())
                                .expressionAttributeValues(values)
                                .build())
                        .build(),
                TransactWriteItem.builder()
                        .put(put -> put.tableName(rows.table()).item(listed))
                        .build()));
    }

    private static String shortened(String reason) {
        return reason.length() <= LONGEST_REASON ? reason : reason.substring(0, LONGEST_REASON) + "…";
    }

    /** Has an entity tried again from its event on; says whether it is parked there. */
    public CompletionStage<Boolean> retry(String persistenceId, long sequenceNumber) {
        return order(persistenceId, sequenceNumber, "SET park_retry = :yes", Map.of(":yes", yes()), RETRY);
    }

    /** Has the events of an entity up to now left out; says whether it is parked there. */
    public CompletionStage<Boolean> giveUp(String persistenceId, long sequenceNumber) {
        return order(persistenceId, sequenceNumber, "REMOVE park_retry", Map.of(), GIVE_UP);
    }

    /** Makes an entity that is parked at an event go on after it; says whether it is. */
    public CompletionStage<Boolean> skip(String persistenceId, long sequenceNumber) {
        return skip(persistenceId, sequenceNumber, "SET seq_nr = park_seq, ts = park_ts", Map.of());
    }

    /** Makes an entity that is parked at an event go on after a later one; says whether it is. */
    public CompletionStage<Boolean> skipTo(LastProcessed last, long sequenceNumber) {
        return skip(
                last.persistenceId(),
                sequenceNumber,
                "SET seq_nr = :last, ts = :lastTs",
                Map.of(
                        ":last",
                        EventItems.number(last.sequenceNumber()),
                        ":lastTs",
                        EventItems.number(last.timestamp())));
    }

    private CompletionStage<Boolean> skip(
            String persistenceId, long sequenceNumber, String change, Map<String, AttributeValue> changed) {
        Map<String, AttributeValue> values = new HashMap<>(changed);
        Optional<Instant> expiry = settings.expiry(clock.instant());
        expiry.ifPresent(time -> values.put(":expiry", EventItems.number(time.getEpochSecond())));
        return order(
                persistenceId,
                sequenceNumber,
                change + (expiry.isPresent() ? ", expiry = :expiry" : "") + REMOVE_MARK,
                values,
                RETRY);
    }

    private CompletionStage<Boolean> order(
            String persistenceId,
            long sequenceNumber,
            String change,
            Map<String, AttributeValue> values,
            String order) {
        AttributeValue number = EventItems.number(sequenceNumber);
        Map<String, AttributeValue> changed = new HashMap<>(values);
        changed.put(":seq", number);
        return applied(List.of(
                TransactWriteItem.builder()
                        .update(update -> update.tableName(rows.table())
                                .key(rows.entityKey(persistenceId))
                                .updateExpression(change)
                                .conditionExpression("park_seq = :seq")
                                .expressionAttributeValues(changed))
                        .build(),
                TransactWriteItem.builder()
                        .update(update -> update.tableName(rows.table())
                                .key(rows.parkedKey(persistenceId))
                                .updateExpression("SET #order = :order")
                                .conditionExpression("seq_nr = :seq")
                                .expressionAttributeNames(Map.of("#order", OffsetRows.ORDER))
                                .expressionAttributeValues(
                                        Map.of(":order", AttributeValue.fromS(order), ":seq", number)))
                        .build()));
    }

    private static AttributeValue yes() {
        return AttributeValue.fromBool(true);
    }

    private CompletionStage<Boolean> applied(List<TransactWriteItem> actions) {
        return gateway.transactWriteItems(actions, gateway.budget())
                .thenApply(result -> result instanceof WriteResult.Applied);
    }

    /** Takes an entity from the list that has caught up, unless it was set aside anew. */
    public CompletionStage<Void> remove(ParkedRow row) {
        return gateway.deleteItem(
                        DeleteItemRequest.builder()
                                .tableName(rows.table())
                                .key(rows.parkedKey(row.persistenceId()))
                                .conditionExpression("seq_nr = :seq AND #at = :at")
                                .expressionAttributeNames(Map.of("#at", OffsetRows.PARKED_AT))
                                .expressionAttributeValues(Map.of(
                                        ":seq", EventItems.number(row.event().sequenceNumber()),
                                        ":at", EventItems.number(Microseconds.of(row.at()))))
                                .build(),
                        gateway.budget())
                .thenApply(result -> null);
    }
}
