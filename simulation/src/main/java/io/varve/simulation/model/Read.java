package io.varve.simulation.model;

import io.varve.simulation.model.Table.Schema;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.QueryResponse;
import software.amazon.awssdk.services.dynamodb.model.ScanRequest;
import software.amazon.awssdk.services.dynamodb.model.ScanResponse;

/**
 * A page of a query or scan in the making, item by item: between two of them the table may change, as in DynamoDB, where a page is
 * no snapshot.
 */
public final class Read {
    private static final int PAGE_BYTES = 1024 * 1024;
    private static final StoredItem NO_ITEM = StoredItem.of(Map.of());

    private final Table table;
    private final @Nullable String index;
    private final boolean forward;
    private final int limit;
    private final Predicate<Map<String, AttributeValue>> wanted;
    private final Predicate<Map<String, AttributeValue>> filter;
    private final Projection projection;
    private final Optional<AttributeValue> hash;
    /** Where the sort keys that are wanted begin, in the direction of reading; absent if that is not known. */
    private final Optional<AttributeValue> border;

    private final List<Map<String, AttributeValue>> found = new ArrayList<>();
    private Table.@Nullable Entry position;
    private Table.@Nullable Entry last;
    private int scanned;
    private int bytes;

    private Read(
            Table table,
            @Nullable String index,
            boolean forward,
            @Nullable Integer limit,
            Optional<AttributeValue> hash,
            Optional<AttributeValue> border,
            Predicate<Map<String, AttributeValue>> wanted,
            Predicate<Map<String, AttributeValue>> filter,
            Projection projection,
            Map<String, AttributeValue> start) {
        this.table = table;
        this.index = index;
        this.forward = forward;
        this.limit = limit == null ? Integer.MAX_VALUE : limit;
        this.hash = hash;
        this.border = border;
        this.wanted = wanted;
        this.filter = filter;
        this.projection = projection;
        this.position = start.isEmpty()
                ? null
                : new Table.Entry(
                        table.schema(index).in(start).orElseThrow(() -> Errors.validation("Invalid ExclusiveStartKey")),
                        table.schema().in(start).orElseThrow(() -> Errors.validation("Invalid ExclusiveStartKey")),
                        NO_ITEM);
    }

    static Read query(Table table, QueryRequest request) {
        @Nullable String index = request.indexName();
        if (index != null && table.index(index).isGlobal() && Boolean.TRUE.equals(request.consistentRead())) {
            throw Errors.validation("Consistent reads are not supported on global secondary indexes");
        }
        Schema schema = table.schema(index);
        Tokens tokens = new Tokens(
                request.keyConditionExpression(),
                request.expressionAttributeNames(),
                request.expressionAttributeValues());
        String name = tokens.name();
        if (!name.equals(schema.hash())) {
            throw Errors.validation("Query condition missed key schema element: " + schema.hash());
        }
        tokens.expect("=");
        AttributeValue hash = tokens.value();
        boolean forward = !Boolean.FALSE.equals(request.scanIndexForward());
        return new Read(
                table,
                index,
                forward,
                request.limit(),
                Optional.of(hash),
                border(tokens, forward),
                Expression.parse(
                        request.keyConditionExpression(),
                        request.expressionAttributeNames(),
                        request.expressionAttributeValues()),
                Expression.parse(
                        request.filterExpression(),
                        request.expressionAttributeNames(),
                        request.expressionAttributeValues()),
                Projection.of(request.projectionExpression(), request.expressionAttributeNames()),
                request.exclusiveStartKey());
    }

    private static Optional<AttributeValue> border(Tokens tokens, boolean forward) {
        if (!tokens.takeIf("AND")) {
            return Optional.empty();
        }
        tokens.name();
        if (tokens.takeIf("BETWEEN")) {
            AttributeValue low = tokens.value();
            tokens.expect("AND");
            return Optional.of(forward ? low : tokens.value());
        }
        boolean known = tokens.takeIf(forward ? ">=" : "<=") || tokens.takeIf("=");
        return known ? Optional.of(tokens.value()) : Optional.empty();
    }

    static Read scan(Table table, ScanRequest request) {
        int segments = request.totalSegments() == null ? 1 : request.totalSegments();
        int segment = request.segment() == null ? 0 : request.segment();
        Schema schema = table.schema();
        return new Read(
                table,
                request.indexName(),
                true,
                request.limit(),
                Optional.empty(),
                Optional.empty(),
                item -> Math.floorMod(schema.in(item).orElseThrow().hash().hashCode(), segments) == segment,
                Expression.parse(
                        request.filterExpression(),
                        request.expressionAttributeNames(),
                        request.expressionAttributeValues()),
                Projection.of(request.projectionExpression(), request.expressionAttributeNames()),
                request.exclusiveStartKey());
    }

    /** Reads one item more; false if the page was complete already. */
    public boolean step() {
        if (last != null) {
            return false;
        }
        Optional<Table.Entry> next = nextWanted();
        if (next.isEmpty()) {
            return false;
        }
        Table.Entry entry = next.get();
        position = entry;
        scanned++;
        bytes += entry.item().bytes();
        if (filter.test(entry.item().attributes())) {
            found.add(projection.of(entry.item().attributes()));
        }
        if (scanned == limit || bytes >= PAGE_BYTES) {
            last = entry;
        }
        return true;
    }

    private Optional<Table.Entry> nextWanted() {
        Optional<Table.Entry> next = position == null && hash.isPresent()
                ? table.first(index, hash.get(), border, forward)
                : table.next(index, position, forward);
        while (next.isPresent() && !wanted.test(next.get().item().attributes())) {
            if (hash.isPresent() && isBeyond(next.get().place())) {
                return Optional.empty();
            }
            next = table.next(index, next.get(), forward);
        }
        return next;
    }

    private boolean isBeyond(Key place) {
        return !place.hasHash(hash.orElseThrow()) || border.isPresent();
    }

    private Map<String, AttributeValue> lastKey() {
        if (last == null) {
            return Map.of();
        }
        Map<String, AttributeValue> key = new HashMap<>();
        Schema schema = table.schema();
        key.put(schema.hash(), last.key().hash());
        key.put(schema.sort(), last.key().sort());
        Schema ofIndex = table.schema(index);
        key.put(ofIndex.hash(), last.place().hash());
        key.put(ofIndex.sort(), last.place().sort());
        return key;
    }

    /** The bytes that were read so far, which is what a read costs. */
    public int bytes() {
        return bytes;
    }

    /** The page of a query. */
    public QueryResponse queryResponse() {
        QueryResponse.Builder response =
                QueryResponse.builder().items(found).count(found.size()).scannedCount(scanned);
        return (last == null ? response : response.lastEvaluatedKey(lastKey())).build();
    }

    /** The page of a scan. */
    public ScanResponse scanResponse() {
        ScanResponse.Builder response =
                ScanResponse.builder().items(found).count(found.size()).scannedCount(scanned);
        return (last == null ? response : response.lastEvaluatedKey(lastKey())).build();
    }
}
