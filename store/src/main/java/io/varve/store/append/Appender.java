package io.varve.store.append;

import io.varve.store.append.AppendRequest.NewEvent;
import io.varve.store.client.Budget;
import io.varve.store.client.WriteResult;
import io.varve.store.layout.Attributes;
import io.varve.store.layout.Event;
import io.varve.store.layout.Head;
import io.varve.store.layout.Item;
import io.varve.store.layout.ItemSize;
import io.varve.store.layout.JournalKeys;
import io.varve.store.layout.StandIn;
import io.varve.store.table.JournalTable;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/**
 * Writes events.
 *
 * <p><b>Which request.</b> One event is a conditional put. The first event that is really stored in a group (not the one whose
 * number is a multiple of 100: that one may have been rejected) takes the group's high mark along, in a transaction. Several
 * events are one transaction.
 *
 * <p><b>Too many for one transaction.</b> Then a chain of them, in order, whose events carry one batch id. An unfinished chain
 * is invisible to readers, and the next recovery removes it, which must not collide with a writer that is merely slow. So each
 * transaction but the first one checks that the chain's first event is still there, and the recovery deletes exactly that event
 * in a transaction which checks that the chain's last event is not there yet: only one of the two can win.
 */
public final class Appender {
    private final AtomicWrites atomicWrites;
    private final int maxItemSize;
    private final InstantSource clock;

    /** An appender that rejects events whose item is larger than {@code maxItemSize} bytes. */
    public Appender(AtomicWrites atomicWrites, int maxItemSize, InstantSource clock) {
        this.atomicWrites = atomicWrites;
        this.maxItemSize = Math.min(maxItemSize, ItemSize.MAX);
        this.clock = clock;
    }

    /** Stores an atomic write after {@code head}. */
    public CompletionStage<AppendResult> append(JournalTable table, Head head, AppendRequest request, Budget budget) {
        table.keys().check(request.persistenceId());
        Prepared prepared = new Prepared(table, request, events(request, head, Optional.empty()));
        Map<Integer, List<Map<String, AttributeValue>>> extras = extras(table, head, request);
        if (request.events().size() > 1 && atomicWrites == AtomicWrites.MARKED) {
            return unlessTooLarge(prepared, () -> marked(prepared, extras, budget));
        }
        if (request.events().size() == 1 && extras.isEmpty()) {
            return unlessTooLarge(
                    prepared,
                    () -> table.gateway()
                            .putItem(EventWrites.putIfFree(table.name(), prepared.items.get(0)), budget)
                            .thenApply(result -> prepared.result(result, 0, 1)));
        }
        List<Transaction> one = Transaction.pack(prepared.items, extras, 0);
        if (one.size() == 1) {
            return unlessTooLarge(prepared, () -> send(prepared, one, 0, budget));
        }
        Optional<String> batchId = Optional.of(table.gateway().surroundings().uniqueName());
        Prepared chain = new Prepared(table, request, events(request, head, batchId));
        return unlessTooLarge(chain, () -> send(chain, Transaction.pack(chain.items, extras, 1), 0, budget));
    }

    private CompletionStage<AppendResult> send(
            Prepared prepared, List<Transaction> chain, int position, Budget budget) {
        Transaction transaction = chain.get(position);
        return prepared.table
                .gateway()
                .transactWriteItems(transaction.actions(prepared, position > 0), budget)
                .thenCompose(written -> {
                    AppendResult result = prepared.result(written, transaction.firstEvent(), transaction.events());
                    return result instanceof AppendResult.Stored && position + 1 < chain.size()
                            ? send(prepared, chain, position + 1, budget)
                            : CompletableFuture.completedFuture(result);
                });
    }

    /** High marks first: a mark without events does no harm, events without their mark may be overlooked. */
    private static CompletionStage<AppendResult> marked(
            Prepared prepared, Map<Integer, List<Map<String, AttributeValue>>> extras, Budget budget) {
        JournalTable table = prepared.table;
        List<WriteRequest> first = extras.values().stream()
                .flatMap(List::stream)
                .map(EventWrites::batchPut)
                .toList();
        return table.gateway()
                .batchWrite(table.name(), first, budget)
                .thenCompose(marks -> table.gateway()
                        .batchWrite(
                                table.name(),
                                prepared.items.stream()
                                        .map(EventWrites::batchPut)
                                        .toList(),
                                budget))
                .thenApply(done -> prepared.stored());
    }

    private List<Event> events(AppendRequest request, Head head, Optional<String> batchId) {
        int size = request.events().size();
        Instant now = clock.instant();
        long timestamp = Math.max(now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000, head.timestamp() + 1);
        List<Event> events = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            NewEvent event = request.events().get(i);
            events.add(new Event(
                    request.persistenceId(),
                    event.sequenceNumber(),
                    event.payload(),
                    event.writer(),
                    event.manifest(),
                    event.metadata(),
                    event.tags(),
                    timestamp + i,
                    size == 1 ? Optional.empty() : Optional.of(new Event.Batch(i, size - 1, batchId)),
                    Optional.empty(),
                    false));
        }
        return Collections.unmodifiableList(events);
    }

    /**
     * What goes with which event: the mark with the first one that is stored in a group, and, if event 1 was rejected, a stand-in
     * with the first one of all.
     */
    private static Map<Integer, List<Map<String, AttributeValue>>> extras(
            JournalTable table, Head head, AppendRequest request) {
        Map<Integer, List<Map<String, AttributeValue>>> extras = new TreeMap<>();
        long lastGroup = JournalKeys.group(head.sequenceNumber());
        for (int i = 0; i < request.events().size(); i++) {
            long group = JournalKeys.group(request.events().get(i).sequenceNumber());
            if (group > lastGroup) {
                extras.computeIfAbsent(i, index -> new ArrayList<>())
                        .add(EventWrites.highMark(table, request.persistenceId(), group));
                lastGroup = group;
            }
        }
        if (head.sequenceNumber() == 0
                && request.firstSequenceNumber() > 1
                && JournalKeys.canBeListed(request.persistenceId())) {
            extras.computeIfAbsent(0, index -> new ArrayList<>())
                    .add(StandIn.encode(table.keys(), request.persistenceId()));
        }
        return extras;
    }

    private CompletionStage<AppendResult> unlessTooLarge(
            Prepared prepared, Supplier<CompletionStage<AppendResult>> write) {
        for (int i = 0; i < prepared.items.size(); i++) {
            int size = ItemSize.of(prepared.items.get(i));
            if (size > maxItemSize) {
                Event event = prepared.events.get(i);
                return CompletableFuture.completedFuture(new AppendResult.Rejected(
                        new EventRejectedException("Event " + event.sequenceNumber() + " of '" + event.persistenceId()
                                + "' is too large: its item has " + size + " bytes ("
                                + event.payload().bytes().asByteArrayUnsafe().length
                                + " of them the serialized event), and the limit is " + maxItemSize
                                + ". Store large data elsewhere and keep a reference in the event.")));
            }
        }
        return write.get();
    }

    /** An atomic write with the items that it consists of. */
    static final class Prepared {
        private final JournalTable table;
        private final AppendRequest request;
        private final List<Event> events;
        private final List<Map<String, AttributeValue>> items;

        Prepared(JournalTable table, AppendRequest request, List<Event> events) {
            this.table = table;
            this.request = request;
            this.events = events;
            this.items = events.stream().map(table.items()::encode).toList();
        }

        JournalTable table() {
            return table;
        }

        String persistenceId() {
            return request.persistenceId();
        }

        long firstSequenceNumber() {
            return request.firstSequenceNumber();
        }

        String batchId() {
            return events.get(0).batch().flatMap(Event.Batch::id).orElseThrow();
        }

        AppendResult stored() {
            return new AppendResult.Stored(events);
        }

        /** What the answer to writing {@code count} events from index {@code first} on means. */
        AppendResult result(WriteResult written, int first, int count) {
            if (written instanceof WriteResult.ConditionFailed failed) {
                for (int i = 0; i < count; i++) {
                    Map<String, AttributeValue> existing = failed.existing().get(i);
                    if (existing == null || !isOurs(items.get(first + i), existing)) {
                        return fenced(failed, first, count);
                    }
                }
            }
            return stored();
        }

        private AppendResult fenced(WriteResult.ConditionFailed failed, int first, int count) {
            Map.Entry<Integer, Map<String, AttributeValue>> inTheWay = failed.existing().entrySet().stream()
                    .min(Map.Entry.comparingByKey())
                    .orElseThrow();
            String writer = events.get(0).writer();
            if (inTheWay.getKey() >= count) { // the check of the chain's first event
                return new AppendResult.Fenced(WriterConflictException.givenUp(
                        request.persistenceId(), request.firstSequenceNumber(), writer));
            }
            Item theirs = new Item(table.name(), inTheWay.getValue());
            return new AppendResult.Fenced(WriterConflictException.taken(
                    request.persistenceId(),
                    events.get(first + inTheWay.getKey()).sequenceNumber(),
                    writer,
                    theirs.has(Attributes.WRITER) ? theirs.shown(Attributes.WRITER) : "one whose item holds no name"));
        }

        /** The same writer, the same payload and the same timestamp: this very write, come back through a retry. */
        private static boolean isOurs(Map<String, AttributeValue> ours, Map<String, AttributeValue> existing) {
            return same(Attributes.WRITER, ours, existing)
                    && same(Attributes.TIMESTAMP, ours, existing)
                    && same(Attributes.EVENT, ours, existing);
        }

        private static boolean same(
                String attribute, Map<String, AttributeValue> ours, Map<String, AttributeValue> existing) {
            return Objects.equals(ours.get(attribute), existing.get(attribute));
        }
    }
}
