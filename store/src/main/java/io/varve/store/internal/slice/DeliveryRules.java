package io.varve.store.internal.slice;

import io.varve.store.SliceRange;
import io.varve.store.Slices;
import io.varve.store.internal.async.Loop;
import io.varve.store.internal.journal.EventReader;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.EventId;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Turns what was read of a shard into what may be delivered: events of the range, each once, atomic writes only when they are
 * complete, and those of one entity in order.
 *
 * <p><b>Order.</b> The entries of an index do not appear in the order of the writes, so that an event can be seen before its
 * predecessor. The base table is asked whenever that is possible: where the number before it was not delivered, and where the
 * entity is not known here, so that nobody can tell. Events up to the trusted timestamp are not asked for: the index showed all of
 * them when they were read, so that catching up costs nothing but the index. Nor are they fetched from the table: those that the
 * query did not meet are not in the index, as after it was added to a table with a history.
 *
 * <p>Requests are sent one after another, each by the owner, so that there are no more when it is gone.
 */
final class DeliveryRules {
    private final EventReader events;
    private final SliceRange range;
    private final IntFunction<SliceStart> starts;
    private final DeliveredEvents delivered;
    private final InstantSource clock;
    private final Executor owner;

    DeliveryRules(
            EventReader events,
            SliceRange range,
            IntFunction<SliceStart> starts,
            DeliveredEvents delivered,
            InstantSource clock,
            Executor owner) {
        this.events = events;
        this.range = range;
        this.starts = starts;
        this.delivered = delivered;
        this.clock = clock;
        this.owner = owner;
    }

    /**
     * What of a page is to be delivered.
     *
     * @param again whether it may have been delivered by an earlier pass
     * @param trusted the timestamp up to which everything was delivered that is not in this page
     */
    CompletionStage<List<Event>> settle(List<Event> page, boolean again, long trusted) {
        Instant now = clock.instant();
        List<Event> candidates = page.stream()
                .filter(event -> range.contains(event.persistenceId()))
                .filter(event -> event.timestamp() >= start(event))
                .filter(event -> !(again ? delivered.covers(event) : delivered.remembers(event)))
                .filter(event -> !event.isExpired(now))
                .toList();
        return candidates.isEmpty()
                ? CompletableFuture.completedFuture(candidates)
                : complete(candidates).thenComposeAsync(complete -> inOrder(complete, trusted), owner);
    }

    private long start(Event event) {
        return starts.apply(Slices.of(event.persistenceId())).timestamp();
    }

    /** An atomic write by what its events have in common. */
    private record Batch(String persistenceId, long start, long end, String writer, Optional<String> id) {
        static Batch of(Event event) {
            return new Batch(
                    event.persistenceId(),
                    event.batchStart(),
                    event.batchEnd(),
                    event.writer(),
                    event.batch().flatMap(Event.Batch::id));
        }
    }

    private CompletionStage<List<Event>> complete(List<Event> candidates) {
        Map<Batch, List<Event>> batches = candidates.stream()
                .filter(event -> event.batch().isPresent())
                .collect(Collectors.groupingBy(Batch::of));
        batches.entrySet().removeIf(entry -> isKnownToBeComplete(entry.getKey(), entry.getValue()));
        Set<Batch> incomplete = new HashSet<>();
        return oneByOne(
                        batches.entrySet(),
                        entry -> events.isComplete(entry.getValue().get(0)).thenAccept(complete -> {
                            if (!complete) {
                                incomplete.add(entry.getKey());
                            }
                        }))
                .thenApply(done -> incomplete.isEmpty()
                        ? candidates
                        : candidates.stream()
                                .filter(event -> !incomplete.contains(Batch.of(event)))
                                .toList());
    }

    /**
     * Whether all of a write was seen, or a part of it was delivered. What was delivered under one of its numbers may be of another
     * write, if this one was given up: the timestamps within a write follow each other as its numbers do.
     */
    private boolean isKnownToBeComplete(Batch batch, List<Event> seen) {
        DeliveredEvents.Last last = delivered.last(batch.persistenceId());
        Event next = seen.get(0);
        boolean begun = last != null
                && last.sequenceNumber() >= batch.start()
                && last.sequenceNumber() < next.sequenceNumber()
                && next.timestamp() - last.timestamp() == next.sequenceNumber() - last.sequenceNumber();
        return begun || seen.size() == batch.end() - batch.start() + 1;
    }

    private CompletionStage<List<Event>> inOrder(List<Event> complete, long trusted) {
        Map<Event, Long> gaps = new HashMap<>();
        List<Event> unknown = new ArrayList<>();
        Map<String, DeliveredEvents.Last> lasts = new HashMap<>();
        for (Event event : complete) {
            DeliveredEvents.@Nullable Last last = lasts.get(event.persistenceId());
            last = last == null ? delivered.last(event.persistenceId()) : last;
            if (event.timestamp() > trusted && event.sequenceNumber() > 1) {
                if (last == null || last.sequenceNumber() >= event.sequenceNumber()) {
                    unknown.add(event);
                } else if (last.sequenceNumber() < event.sequenceNumber() - 1) {
                    gaps.put(event, last.timestamp());
                }
            }
            lasts.put(event.persistenceId(), new DeliveredEvents.Last(event.sequenceNumber(), event.timestamp()));
        }
        return findUndelivered(unknown, trusted)
                .thenCompose(undelivered -> {
                    undelivered.forEach(event -> gaps.put(event, deliveredUpTo(event, trusted)));
                    return fill(gaps);
                })
                .thenApply(before -> insert(complete, before));
    }

    /** The events before each, after what was delivered. */
    private CompletionStage<Map<Event, List<Event>>> fill(Map<Event, Long> gaps) {
        Map<Event, List<Event>> before = new HashMap<>();
        return oneByOne(
                        gaps.entrySet(),
                        gap -> events.before(
                                        gap.getKey().persistenceId(),
                                        gap.getKey().sequenceNumber(),
                                        gap.getValue())
                                .thenAccept(found -> before.put(gap.getKey(), found)))
                .thenApply(done -> before);
    }

    /** Those whose predecessor lies where this query should have met it. */
    private CompletionStage<List<Event>> findUndelivered(List<Event> unknown, long trusted) {
        Map<Event, EventId> predecessors = unknown.stream()
                .collect(Collectors.toMap(
                        event -> event, event -> new EventId(event.persistenceId(), event.sequenceNumber() - 1)));
        return events.events(predecessors.values())
                .thenApplyAsync(
                        found -> {
                            Map<EventId, Long> timestamps = found.stream()
                                    .collect(Collectors.toMap(
                                            event -> new EventId(event.persistenceId(), event.sequenceNumber()),
                                            Event::timestamp));
                            return unknown.stream()
                                    .filter(event -> timestamps.getOrDefault(predecessors.get(event), Long.MAX_VALUE)
                                            > deliveredUpTo(event, trusted))
                                    .toList();
                        },
                        owner);
    }

    private long deliveredUpTo(Event event, long trusted) {
        return Math.max(Math.max(delivered.floor(), start(event)) - 1, trusted);
    }

    private static List<Event> insert(List<Event> complete, Map<Event, List<Event>> before) {
        if (before.isEmpty()) {
            return complete;
        }
        List<Event> all = new ArrayList<>();
        for (Event event : complete) {
            all.addAll(before.getOrDefault(event, List.of()));
            all.add(event);
        }
        return all;
    }

    private <T> CompletionStage<Void> oneByOne(Collection<T> elements, Function<T, CompletionStage<Void>> action) {
        return Loop.forEach(
                elements, element -> CompletableFuture.completedFuture(element).thenComposeAsync(action, owner));
    }
}
