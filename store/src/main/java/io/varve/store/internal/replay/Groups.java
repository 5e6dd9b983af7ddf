package io.varve.store.internal.replay;

import io.varve.store.internal.client.Budget;
import io.varve.store.internal.client.Call;
import io.varve.store.internal.client.Pages;
import io.varve.store.internal.layout.Attributes;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.EventItems;
import io.varve.store.internal.layout.Item;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.table.JournalTable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;

/** Reads groups of events, consistently. */
final class Groups {
    static final int LAST_NUMBER = JournalKeys.GROUP_SIZE - 1;

    private final JournalTable table;
    private final String persistenceId;

    Groups(JournalTable table, String persistenceId) {
        this.table = table;
        this.persistenceId = persistenceId;
    }

    /**
     * A page of a group, in order.
     *
     * @param next the number to go on with upwards, or none if there is no more
     * @param below the number to go on with downwards, or none if there is no more
     */
    record Page(long group, List<Event> events, Optional<Integer> next, Optional<Integer> below) {
        static final Page EMPTY = new Page(0, List.of(), Optional.empty(), Optional.empty());

        /** The same for who goes upwards. */
        Page upwards() {
            return new Page(group, events, next, Optional.empty());
        }

        /** The last number of its group. */
        long lastNumber() {
            return JournalKeys.groupStart(group) + LAST_NUMBER;
        }

        Optional<Event> last() {
            return events.isEmpty() ? Optional.empty() : Optional.of(events.get(events.size() - 1));
        }
    }

    /** The first page of a group from a number on. */
    CompletionStage<Page> page(long group, int from, Budget budget) {
        return page(group, from, LAST_NUMBER, budget);
    }

    /** The first page of a group from a number on, up to another. */
    CompletionStage<Page> page(long group, int from, int to, Budget budget) {
        return query(group, request(group, from, to).build(), budget);
    }

    /** The last page of a group, from a number on, up to another; it is read downwards, the last event first. */
    CompletionStage<Page> pageDown(long group, int from, int to, Budget budget) {
        QueryRequest request = request(group, from, to).scanIndexForward(false).build();
        return query(group, request, budget);
    }

    /** The last event of a group. */
    CompletionStage<Optional<Event>> last(long group, Budget budget) {
        return last(group, LAST_NUMBER, budget);
    }

    /** The last event of a group up to a number. */
    CompletionStage<Optional<Event>> last(long group, int to, Budget budget) {
        return lastPage(group, to, 1, budget).thenApply(Page::last);
    }

    /** The last event of a group that is not part of this chain. */
    CompletionStage<Optional<Event>> lastExcept(long group, String chain, Budget budget) {
        return lastExcept(group, LAST_NUMBER, chain, budget);
    }

    private CompletionStage<Optional<Event>> lastExcept(long group, int to, String chain, Budget budget) {
        QueryRequest all = request(group, 0, to).scanIndexForward(false).build();
        Map<String, AttributeValue> values = new HashMap<>(all.expressionAttributeValues());
        values.put(":chain", AttributeValue.fromS(chain));
        QueryRequest request = all.toBuilder()
                .filterExpression(
                        "attribute_not_exists(" + Attributes.BATCH + ") OR " + Attributes.BATCH + " <> :chain")
                .expressionAttributeValues(values)
                .build();
        return query(group, request, budget)
                .thenCompose(page -> page.last().isPresent() || page.below().isEmpty()
                        ? CompletableFuture.completedFuture(page.last())
                        : lastExcept(group, page.below().get(), chain, budget));
    }

    /** The last few events of a group up to a number. */
    CompletionStage<Page> lastPage(long group, int to, int events, Budget budget) {
        QueryRequest request =
                request(group, 0, to).scanIndexForward(false).limit(events).build();
        return query(group, request, budget);
    }

    private CompletionStage<Page> query(long group, QueryRequest request, Budget budget) {
        boolean down = Boolean.FALSE.equals(request.scanIndexForward());
        return table.gateway().call(Call.QUERY, request, budget).thenApply(response -> {
            List<Event> events = new ArrayList<>(response.items().size());
            response.items()
                    .forEach(item -> events.add(EventItems.decode(persistenceId, group, new Item(table.name(), item))));
            if (down) {
                Collections.reverse(events);
            }
            Optional<Integer> rest = Pages.after(response)
                    .map(key -> (int) new Item(table.name(), key).number(Attributes.NUMBER, 0, LAST_NUMBER)
                            + (down ? -1 : 1))
                    .filter(number -> number >= 0 && number <= LAST_NUMBER);
            return down
                    ? new Page(group, List.copyOf(events), Optional.empty(), rest)
                    : new Page(group, List.copyOf(events), rest, Optional.empty());
        });
    }

    private QueryRequest.Builder request(long group, int from, int to) {
        Map<String, AttributeValue> values = new HashMap<>();
        String condition = Attributes.PARTITION + " = :par";
        values.put(":par", AttributeValue.fromS(table.keys().eventPartition(persistenceId, group)));
        if (from > 0 && to < LAST_NUMBER) {
            condition += " AND " + Attributes.NUMBER + " BETWEEN :from AND :to";
        } else if (from > 0) {
            condition += " AND " + Attributes.NUMBER + " >= :from";
        } else if (to < LAST_NUMBER) {
            condition += " AND " + Attributes.NUMBER + " <= :to";
        }
        if (from > 0) {
            values.put(":from", EventItems.number(from));
        }
        if (to < LAST_NUMBER) {
            values.put(":to", EventItems.number(to));
        }
        return QueryRequest.builder()
                .tableName(table.name())
                .consistentRead(true)
                .keyConditionExpression(condition)
                .expressionAttributeValues(values);
    }
}
