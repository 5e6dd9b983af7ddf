package io.varve.store.internal.offset;

import io.varve.store.VarveException;
import io.varve.store.internal.client.Budget;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.client.WriteResult;
import io.varve.store.internal.layout.EventItems;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;

/**
 * The items of a read model that has one for each entity, with the progress of the entity in the item itself.
 *
 * <p>Each write demands that the fence is still what the writer has seen, and replaces it: the item is a chain in which every state
 * follows from the one before. So of two writers one is refused, a write that is repeated has no second effect, and one that arrives
 * late finds another fence. No row beside the item is needed.
 */
public final class FencedItems {
    private static final String FENCE = "#varveFence";
    private static final String EXPIRES = "#varveExpires";
    private static final String BEFORE = ":varveBefore";
    private static final String AFTER = ":varveAfter";

    private final Gateway gateway;
    private final String table;
    private final String projection;
    private final Removed removed;
    private final InstantSource clock;

    /**
     * What becomes of items that are removed.
     *
     * @param shared whether others write to the items, too: then only attributes change, and the fence stays for good
     * @param keep how long the fence of a removed item stays otherwise
     * @param expires the attribute by which DynamoDB removes it then
     */
    public record Removed(boolean shared, Duration keep, String expires) {}

    /** The items that a projection of that name keeps in a table. */
    public FencedItems(Gateway gateway, String table, String projection, Removed removed, InstantSource clock) {
        this.gateway = gateway;
        this.table = table;
        this.projection = projection;
        this.removed = removed;
        this.clock = clock;
    }

    /** The name of the table. */
    public String table() {
        return table;
    }

    /** Whether others write to the items, too. */
    public boolean isShared() {
        return removed.shared();
    }

    /** Reads the items of entities by their keys; one that is not there has no attributes and no fence. */
    public CompletionStage<Map<String, FencedItem>> read(Map<String, Map<String, AttributeValue>> keys) {
        Map<Map<String, AttributeValue>, String> entities = new HashMap<>();
        keys.forEach((persistenceId, key) -> {
            String other = entities.put(key, persistenceId);
            if (other != null) {
                throw sameItem(persistenceId, other);
            }
        });
        return gateway.batchGet(table, List.copyOf(keys.values()), true, gateway.budget())
                .thenApply(found -> {
                    Map<Map<String, AttributeValue>, FencedItem> byKey =
                            found.stream().collect(Collectors.toMap(item -> keyOf(item, keys), this::decoded));
                    Map<String, FencedItem> all = new HashMap<>();
                    keys.forEach((persistenceId, key) -> all.put(
                            persistenceId,
                            checked(
                                    persistenceId,
                                    byKey.getOrDefault(key, new FencedItem(Map.of(), Optional.empty())))));
                    return all;
                });
    }

    private static Map<String, AttributeValue> keyOf(
            Map<String, AttributeValue> item, Map<String, Map<String, AttributeValue>> keys) {
        Map<String, AttributeValue> key = new HashMap<>(item);
        key.keySet().retainAll(keys.values().iterator().next().keySet());
        return key;
    }

    private FencedItem decoded(Map<String, AttributeValue> item) {
        String attribute = Fence.attribute(projection);
        Map<String, AttributeValue> others = new HashMap<>(item);
        AttributeValue fence = others.remove(attribute);
        if (!removed.shared()) {
            others.keySet().stream().filter(Fence::isFence).findFirst().ifPresent(another -> {
                throw new VarveException("An item of table '" + table + "' that projection '" + projection
                        + "' writes has the attribute '" + another
                        + "' of another projection, whose part would be lost when this"
                        + " one removes it. Tell both that their items are shared.");
            });
        }
        return new FencedItem(others, Optional.ofNullable(fence).map(value -> Fence.decode(table, attribute, value)));
    }

    private FencedItem checked(String persistenceId, FencedItem item) {
        item.fence()
                .map(fence -> fence.reflects().persistenceId())
                .filter(other -> !other.equals(persistenceId))
                .ifPresent(other -> {
                    throw sameItem(persistenceId, other);
                });
        return item;
    }

    private VarveException sameItem(String persistenceId, String other) {
        return new VarveException(
                "The entities '" + persistenceId + "' and '" + other + "' have the same key in table '"
                        + table + "' of projection '" + projection
                        + "', whose items are for one entity each. Make the key of the whole"
                        + " persistence id, or use an exactly-once projection with transactions.");
    }

    /** What became of a write. */
    public sealed interface Written {
        /**
         * It is stored, by this attempt or an earlier one.
         *
         * @param found the item, if it has come back: perhaps another has stored it, who reflects the same event
         */
        record Stored(Optional<FencedItem> found) implements Written {}

        /** The fence was another one; nothing was stored. */
        record Overtaken(FencedItem now) implements Written {}

        /** The fence was the one that was demanded, but the condition of the caller's own did not hold; nothing was stored. */
        record Refused() implements Written {}
    }

    /**
     * Changes the item of an entity, and what it reflects.
     *
     * @param before the fence that it must have; absent if it must have none
     */
    public CompletionStage<Written> write(
            Map<String, AttributeValue> key, ItemWrite change, Optional<Fence> before, Fence after) {
        if (removed.shared() && change instanceof ItemWrite.Replace) {
            throw new IllegalArgumentException("A shared item is not replaced.");
        }
        Budget budget = gateway.budget();
        CompletionStage<WriteResult> result;
        if (change instanceof ItemWrite.Update update) {
            result = gateway.updateItem(update(key, update, before, after), budget);
        } else if (change instanceof ItemWrite.Replace replace) {
            result = gateway.putItem(put(key, replace.attributes(), before, after), budget);
        } else {
            result = removed.shared()
                    ? gateway.updateItem(update(key, without((ItemWrite.Remove) change), before, after), budget)
                    : gateway.putItem(put(key, expiry(), before, after), budget);
        }
        return result.thenApply(written -> written instanceof WriteResult.ConditionFailed failed
                ? refused(failed.existing().getOrDefault(0, Map.of()), before, after)
                : new Written.Stored(Optional.empty()));
    }

    private Written refused(Map<String, AttributeValue> existing, Optional<Fence> before, Fence after) {
        FencedItem now = checked(after.reflects().persistenceId(), decoded(existing));
        if (now.fence().filter(after::equals).isPresent()) {
            return new Written.Stored(Optional.of(now));
        }
        return now.fence().equals(before) ? new Written.Refused() : new Written.Overtaken(now);
    }

    private static ItemWrite.Update without(ItemWrite.Remove remove) {
        Map<String, String> names = new HashMap<>();
        remove.attributes().forEach(attribute -> names.put("#r" + names.size(), attribute));
        return new ItemWrite.Update("", String.join(", ", names.keySet()), "", "", names, Map.of(), Optional.empty());
    }

    private Map<String, AttributeValue> expiry() {
        return Map.of(
                removed.expires(),
                EventItems.number(clock.instant().plus(removed.keep()).getEpochSecond()));
    }

    private PutItemRequest put(
            Map<String, AttributeValue> key,
            Map<String, AttributeValue> attributes,
            Optional<Fence> before,
            Fence after) {
        Map<String, AttributeValue> item = new HashMap<>(attributes);
        item.putAll(key);
        item.put(Fence.attribute(projection), after.stored());
        PutItemRequest.Builder request = PutItemRequest.builder()
                .tableName(table)
                .item(item)
                .conditionExpression(condition(before))
                .expressionAttributeNames(Map.of(FENCE, Fence.attribute(projection)))
                .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD);
        before.ifPresent(fence -> request.expressionAttributeValues(Map.of(BEFORE, fence.stored())));
        return request.build();
    }

    private UpdateItemRequest update(
            Map<String, AttributeValue> key, ItemWrite.Update update, Optional<Fence> before, Fence after) {
        Map<String, String> names = new HashMap<>(update.names());
        names.put(FENCE, Fence.attribute(projection));
        Map<String, AttributeValue> values = new HashMap<>(update.values());
        values.put(AFTER, after.stored());
        before.ifPresent(fence -> values.put(BEFORE, fence.stored()));
        String remove = update.remove();
        boolean stays = !after.removed() && !writes(update, removed.expires());
        if (!removed.shared() && stays && before.filter(Fence::removed).isPresent()) {
            names.put(EXPIRES, removed.expires()); // it is needed again
            remove = remove.isEmpty() ? EXPIRES : remove + ", " + EXPIRES;
        }
        return UpdateItemRequest.builder()
                .tableName(table)
                .key(key)
                .updateExpression(expression(update, remove))
                .conditionExpression(condition(before)
                        + update.condition().map(own -> " AND (" + own + ")").orElse(""))
                .expressionAttributeNames(names)
                .expressionAttributeValues(values)
                .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD)
                .build();
    }

    /** Whether an update writes an attribute, by its own name or another one. */
    private static boolean writes(ItemWrite.Update update, String attribute) {
        String names = Stream.concat(
                        Stream.of(attribute),
                        update.names().entrySet().stream()
                                .filter(name -> name.getValue().equals(attribute))
                                .map(Map.Entry::getKey))
                .map(Pattern::quote)
                .collect(Collectors.joining("|", "(?<![\\w#:.])(?:", ")(?!\\w)"));
        return Pattern.compile(names + "\\s*=").matcher(update.set()).find()
                || Pattern.compile(names)
                        .matcher(String.join(",", update.remove(), update.add(), update.delete()))
                        .find();
    }

    private static String expression(ItemWrite.Update update, String remove) {
        List<String> clauses = new ArrayList<>();
        clauses.add("SET " + FENCE + " = " + AFTER + (update.set().isEmpty() ? "" : ", " + update.set()));
        if (!remove.isEmpty()) {
            clauses.add("REMOVE " + remove);
        }
        if (!update.add().isEmpty()) {
            clauses.add("ADD " + update.add());
        }
        if (!update.delete().isEmpty()) {
            clauses.add("DELETE " + update.delete());
        }
        return String.join(" ", clauses);
    }

    private static String condition(Optional<Fence> before) {
        return before.isPresent() ? FENCE + " = " + BEFORE : "attribute_not_exists(" + FENCE + ")";
    }
}
