package io.varve.testkit.internal.capacity;

import com.fasterxml.jackson.databind.JsonNode;
import io.varve.testkit.internal.http.Backend;
import io.varve.testkit.internal.http.HttpAnswer;
import io.varve.testkit.internal.http.HttpCall;
import io.varve.testkit.internal.json.CanonicalItem;
import io.varve.testkit.internal.json.LenientJson;
import io.varve.testkit.internal.request.ItemKey;
import io.varve.testkit.internal.request.ItemOperation;
import io.varve.testkit.internal.request.ItemOperation.Kind;
import io.varve.testkit.internal.request.KnownTables;
import io.varve.testkit.internal.request.ParsedRequest;
import io.varve.testkit.internal.request.TableKeys;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Forwards writes and computes their capacity from the items before and after.
 *
 * <p>An item's state before the write decides its price, so it is read first, unless the write's own condition says that there is none. The
 * read is a request of the proxy's own on the same connection; a writer that comes between the two makes the figure that of the older
 * state, and changes nothing else. All parts of a cancelled transaction are charged like failed conditions. A transaction that this
 * proxy saw succeed before under the same client token writes nothing, and is charged for reading its items.
 */
public final class WriteMeter {

    private static final int UNIT = 1024;

    private final ParsedRequest request;
    private final KnownTables definitions;
    private final ItemReader reader;
    private final Set<String> usedTokens;
    private final String token;
    private final int factor;

    /** Meters one write. */
    public WriteMeter(ParsedRequest request, KnownTables definitions, ItemReader reader, Set<String> usedTokens) {
        this.request = request;
        this.definitions = definitions;
        this.reader = reader;
        this.usedTokens = usedTokens;
        this.token = LenientJson.text(request.body(), "ClientRequestToken");
        this.factor = request.operation().startsWith("Transact") ? 2 : 1;
    }

    /** Sends the call and meters its changed answer. */
    public CompletableFuture<Metered> forward(Backend backend, HttpCall call, UnaryOperator<HttpAnswer> change) {
        if (usedTokens.contains(token)) {
            return forwardRepeat(backend, call, change);
        }
        Items before = new Items();
        Items after = new Items();
        return before.read(operation -> !isCreation(operation))
                .thenCompose(read -> backend.send(call))
                .thenApply(change)
                .thenCompose(answer -> {
                    if (answer.status() == 200 && !token.isEmpty()) {
                        usedTokens.add(token);
                    }
                    Predicate<ItemOperation> unknown =
                            answer.status() == 200 ? operation -> operation.kind() == Kind.UPDATE : this::isCreation;
                    return after.read(isCharged(answer) ? unknown : operation -> false)
                            .thenApply(read -> new Metered(answer, request.items(), capacity(answer, before, after)));
                });
    }

    private CompletableFuture<Metered> forwardRepeat(Backend backend, HttpCall call, UnaryOperator<HttpAnswer> change) {
        Items items = new Items();
        return backend.send(call)
                .thenApply(change)
                .thenCompose(answer -> items.read(operation -> answer.status() == 200)
                        .thenApply(read -> new Metered(
                                answer,
                                request.items(),
                                answer.status() == 200 ? ofRepeat(items) : CapacityUnits.NONE)));
    }

    private CapacityUnits ofRepeat(Items items) {
        int units = request.itemOperations().stream()
                .mapToInt(operation -> ReadMeter.units(items.find(operation)))
                .sum();
        return new CapacityUnits(0, 0, factor * units);
    }

    private CapacityUnits capacity(HttpAnswer answer, Items before, Items after) {
        CapacityUnits sum = CapacityUnits.NONE;
        if (answer.status() == 200) {
            for (ItemOperation operation : request.itemOperations()) {
                sum = sum.plus(ofSuccess(operation, before.find(operation), after.find(operation)));
            }
        } else if (isCharged(answer)) {
            for (ItemOperation operation : request.itemOperations()) {
                Map<String, JsonNode> existing = isCreation(operation) ? after.find(operation) : before.find(operation);
                sum = sum.plus(new CapacityUnits(factor * units(existing), 0, 0));
            }
        }
        return sum;
    }

    private CapacityUnits ofSuccess(
            ItemOperation operation, @Nullable Map<String, JsonNode> before, @Nullable Map<String, JsonNode> read) {
        Map<String, JsonNode> after = switch (operation.kind()) {
            case PUT -> operation.attributes();
            case UPDATE -> read;
            case CHECK -> before;
            default -> null;
        };
        double index = 0;
        for (TableKeys.Index each : definitions.find(operation.table()).indexes()) {
            index += indexUnits(each, each.entryOf(before), each.entryOf(after));
        }
        return new CapacityUnits(factor * Math.max(units(before), units(after)), index, 0);
    }

    private static int indexUnits(
            TableKeys.Index index, @Nullable Map<String, JsonNode> before, @Nullable Map<String, JsonNode> after) {
        if (before == null || after == null) {
            Map<String, JsonNode> only = before == null ? after : before;
            return only == null ? 0 : units(only);
        }
        Map<String, JsonNode> was = CanonicalItem.of(before);
        Map<String, JsonNode> is = CanonicalItem.of(after);
        if (was.equals(is)) {
            return 0;
        }
        boolean moved = index.keyAttributes().stream().anyMatch(name -> !Objects.equals(was.get(name), is.get(name)));
        return moved ? units(before) + units(after) : Math.max(units(before), units(after));
    }

    private static int units(@Nullable Map<String, JsonNode> item) {
        int bytes = item == null ? 0 : ItemBytes.ofJson(item);
        return Math.max(1, (bytes + UNIT - 1) / UNIT);
    }

    private static boolean isCharged(HttpAnswer answer) {
        return answer.errorCode().equals("ConditionalCheckFailedException")
                || answer.errorCode().equals("TransactionCanceledException")
                || answer.status() == 200;
    }

    /** Whether the write succeeds only where there is no item yet. */
    private boolean isCreation(ItemOperation operation) {
        List<String> keys = definitions.find(operation.table()).keyAttributes();
        String condition = operation.condition().replace(" ", "");
        return operation.kind() == Kind.PUT
                && keys.stream().anyMatch(key -> condition.equals("attribute_not_exists(" + key + ")"));
    }

    /** The items that the request's operations are about, as far as they were read. */
    private final class Items {

        private final Map<ItemKey, Map<String, JsonNode>> found = new HashMap<>();

        CompletableFuture<?> read(Predicate<ItemOperation> wanted) {
            List<ItemKey> keys = new ArrayList<>();
            request.itemOperations().stream().filter(wanted).forEach(operation -> keys.add(keyOf(operation)));
            return keys.isEmpty() ? CompletableFuture.completedFuture(found) : reader.read(keys, found);
        }

        @Nullable
        Map<String, JsonNode> find(ItemOperation operation) {
            return found.get(keyOf(operation));
        }

        private ItemKey keyOf(ItemOperation operation) {
            return ItemKey.of(operation.table(), operation.attributes(), definitions);
        }
    }
}
