package io.varve.store.replay;

import io.varve.store.client.Budget;
import io.varve.store.client.Call;
import io.varve.store.layout.Attributes;
import io.varve.store.layout.Event;
import io.varve.store.layout.EventItems;
import io.varve.store.layout.JournalKeys;
import io.varve.store.table.JournalTable;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;

/** Reads groups of events, consistently. */
final class Groups {
    private static final int LAST_NUMBER = JournalKeys.GROUP_SIZE - 1;

    private final JournalTable table;
    private final String persistenceId;

    Groups(JournalTable table, String persistenceId) {
        this.table = table;
        this.persistenceId = persistenceId;
    }

    /** A page of a group; {@code next} is the number to go on with, or none if the group has no more. */
    record Page(long group, List<Event> events, Optional<Integer> next) {
        Optional<Event> last() {
            return events.isEmpty() ? Optional.empty() : Optional.of(events.get(events.size() - 1));
        }
    }

    /** The first page of a group from a number on. */
    CompletionStage<Page> page(long group, int from, Budget budget) {
        return query(group, request(group, from).build(), budget);
    }

    /** The last event of a group. */
    CompletionStage<Optional<Event>> last(long group, Budget budget) {
        QueryRequest request =
                request(group, 0).scanIndexForward(false).limit(1).build();
        return query(group, request, budget).thenApply(Page::last);
    }

    private CompletionStage<Page> query(long group, QueryRequest request, Budget budget) {
        return table.gateway().call(Call.QUERY, request, budget).thenApply(response -> {
            List<Event> events = response.items().stream()
                    .map(item -> EventItems.decode(persistenceId, group, item))
                    .toList();
            boolean more = response.hasLastEvaluatedKey()
                    && !response.lastEvaluatedKey().isEmpty();
            Optional<Integer> next = more
                    ? EventItems.number(response.lastEvaluatedKey(), Attributes.NUMBER)
                            .map(number -> number.intValue() + 1)
                            .filter(number -> number <= LAST_NUMBER)
                    : Optional.empty();
            return new Page(group, events, next);
        });
    }

    private QueryRequest.Builder request(long group, int from) {
        return QueryRequest.builder()
                .tableName(table.name())
                .consistentRead(true)
                .keyConditionExpression(
                        from == 0
                                ? Attributes.PARTITION + " = :par"
                                : Attributes.PARTITION + " = :par AND " + Attributes.NUMBER + " >= :num")
                .expressionAttributeValues(
                        from == 0
                                ? Map.of(":par", partition(group))
                                : Map.of(":par", partition(group), ":num", EventItems.number(from)));
    }

    private AttributeValue partition(long group) {
        return AttributeValue.fromS(table.keys().eventPartition(persistenceId, group));
    }
}
