package io.varve.store.internal.entity;

import io.varve.store.internal.async.Concurrently;
import io.varve.store.internal.client.Budget;
import io.varve.store.internal.client.Call;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.client.Pages;
import io.varve.store.internal.layout.Attributes;
import io.varve.store.internal.layout.Item;
import io.varve.store.internal.layout.ItemOwner;
import io.varve.store.internal.layout.JournalKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ScanRequest;

/**
 * Lists what a scan of the whole table finds.
 *
 * <p>An entity has many items, in any segment, so the ids must be collected before it is known which are new; and only if they
 * are sorted can another listing go on after one of them. So nothing is listed until the whole table has been read, and all ids
 * are in memory then.
 */
final class ScanListing implements Listing {
    private final Gateway gateway;
    private final String table;
    private final JournalKeys keys;
    private final ItemOwner owner;
    private final Optional<String> afterId;
    private final int pageSize;
    private final List<Segment> segments;
    private final NavigableSet<String> ids = new ConcurrentSkipListSet<>();

    ScanListing(Gateway gateway, String table, JournalKeys keys, int segments, Optional<String> afterId, int pageSize) {
        this.gateway = gateway;
        this.table = table;
        this.keys = keys;
        this.owner = new ItemOwner(keys);
        this.afterId = afterId;
        this.pageSize = pageSize;
        this.segments = IntStream.range(0, segments).mapToObj(Segment::new).toList();
    }

    @Override
    public CompletionStage<Optional<List<String>>> next() {
        List<Segment> unread =
                segments.stream().filter(segment -> !segment.atEnd).toList();
        Budget budget = gateway.budget();
        return unread.isEmpty()
                ? CompletableFuture.completedFuture(Optional.of(takePage()).filter(page -> !page.isEmpty()))
                : Concurrently.run(unread, unread.size(), segment -> read(segment, budget))
                        .thenApply(read -> Optional.of(List.of()));
    }

    private CompletionStage<?> read(Segment segment, Budget budget) {
        ScanRequest scan = scan(table, keys, segment.number, segments.size(), segment.start);
        return gateway.call(Call.SCAN, scan, budget).thenAccept(response -> {
            response.items().stream()
                    .flatMap(item -> owner.of(new Item(table, item)).stream())
                    .filter(id -> afterId.isEmpty() || id.compareTo(afterId.get()) > 0)
                    .forEach(ids::add);
            segment.start = Pages.after(response);
            segment.atEnd = segment.start.isEmpty();
        });
    }

    private List<String> takePage() {
        List<String> page = new ArrayList<>();
        while (page.size() < pageSize && !ids.isEmpty()) {
            page.add(ids.pollFirst());
        }
        return page;
    }

    static ScanRequest scan(
            String table, JournalKeys keys, int segment, int segments, Optional<Map<String, AttributeValue>> start) {
        ScanRequest.Builder scan = ScanRequest.builder()
                .tableName(table)
                .segment(segment)
                .totalSegments(segments)
                .projectionExpression(String.join(
                        ", ",
                        Attributes.PARTITION,
                        Attributes.NUMBER,
                        Attributes.SEQUENCE_NUMBER,
                        Attributes.PERSISTENCE_ID))
                .filterExpression(Stream.of(":event", ":low", ":standIn")
                        .map(prefix -> "begins_with(" + Attributes.PARTITION + ", " + prefix + ")")
                        .reduce((a, b) -> a + " OR " + b)
                        .orElseThrow())
                .expressionAttributeValues(Map.of(
                        ":event", AttributeValue.fromS(keys.eventPrefix()),
                        ":low", AttributeValue.fromS(keys.lowPrefix()),
                        ":standIn", AttributeValue.fromS(keys.standInPrefix())));
        start.ifPresent(scan::exclusiveStartKey);
        return scan.build();
    }

    /** How far a segment has been read. */
    private static final class Segment {
        private final int number;
        private Optional<Map<String, AttributeValue>> start = Optional.empty();
        private boolean atEnd;

        Segment(int number) {
            this.number = number;
        }
    }
}
