package io.varve.simulation.failsonce.store;

import io.varve.persistence.internal.query.EnvelopeOffsets;
import io.varve.persistence.internal.query.OffsetStarts;
import io.varve.persistence.query.SliceOffsets;
import io.varve.simulation.failsonce.Broken;
import io.varve.simulation.failsonce.ConsumerBook;
import io.varve.simulation.failsonce.EntityBook;
import io.varve.simulation.failsonce.Scene;
import io.varve.simulation.failsonce.Step;
import io.varve.store.SliceRange;
import io.varve.store.internal.entity.Listing;
import io.varve.store.internal.entity.Source;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.EventId;
import io.varve.store.internal.replay.EventCursor;
import io.varve.store.internal.slice.SliceEvent;
import io.varve.store.internal.slice.SliceQuery;
import io.varve.store.internal.slice.SliceQuerySettings;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.apache.pekko.persistence.query.Offset;
import org.jspecify.annotations.Nullable;

/** What queries deliver, compared with what was acknowledged. */
final class QuerySteps {
    private QuerySteps() {}

    private static SliceQuerySettings settings(int pageSize) {
        return new SliceQuerySettings(
                pageSize,
                Duration.ofSeconds(3),
                Duration.ofSeconds(30),
                Duration.ofMillis(100),
                Duration.ofSeconds(5),
                Duration.ofSeconds(20),
                Optional.empty(),
                4,
                5,
                10_000);
    }

    /** All events of an entity, pulled page by page. */
    static Step<ServiceProcess> events(String entity) {
        return (scene, process) -> {
            SortedMap<Long, String> found = new TreeMap<>();
            return pull(process.reader().events(entity, 1, Long.MAX_VALUE), found)
                    .thenAccept(all -> expect(scene.entity(entity).events(), found, entity));
        };
    }

    private static CompletionStage<Void> pull(EventCursor cursor, SortedMap<Long, String> found) {
        return cursor.next().thenCompose(page -> {
            if (page.isEmpty()) {
                return Steps.done();
            }
            page.get().forEach(event -> Steps.add(found, event));
            return pull(cursor, found);
        });
    }

    /** Single events, as projections ask for them: one, some, and those before one. */
    static Step<ServiceProcess> lookups(String entity) {
        return (scene, process) -> {
            SortedMap<Long, String> events = scene.entity(entity).events();
            long last = events.lastKey();
            SortedMap<Long, String> found = new TreeMap<>();
            return process.reader()
                    .lastSequenceNumber(entity)
                    .thenAccept(number -> expect(last, number, entity))
                    .thenCompose(next -> process.reader().event(entity, last))
                    .thenCompose(event -> {
                        expect(
                                Optional.ofNullable(events.get(last)),
                                event.map(one -> Steps.text(one.payload())),
                                entity);
                        return process.reader().isComplete(event.orElseThrow());
                    })
                    .thenAccept(complete -> expect(true, complete, entity))
                    .thenCompose(next -> process.reader()
                            .events(events.keySet().stream()
                                    .map(number -> new EventId(entity, number))
                                    .toList()))
                    .thenAccept(all -> all.forEach(event -> Steps.add(found, event)))
                    .thenAccept(done -> expect(events, found, entity))
                    .thenCompose(next -> process.reader().before(entity, last, 0))
                    .thenAccept(before -> expect(
                            List.copyOf(events.headMap(last).values()),
                            before.stream()
                                    .map(event -> Steps.text(event.payload()))
                                    .toList(),
                            entity));
        };
    }

    /** The ids of all entities. */
    static Step<ServiceProcess> ids(Source source) {
        return (scene, process) -> {
            Set<String> found = new TreeSet<>();
            return list(process.persistenceIds(source).list(Optional.empty(), 2), found)
                    .thenAccept(all -> expect(scene.entities().keySet(), found, "the list"));
        };
    }

    private static CompletionStage<Void> list(Listing listing, Set<String> found) {
        return listing.next().thenCompose(page -> {
            if (page.isEmpty()) {
                return Steps.done();
            }
            page.get().forEach(id -> Broken.unless(found.add(id), "%s is listed twice", id));
            return list(listing, found);
        });
    }

    /** A query of all slices of an entity type, from where its consumer was; a live one until it has got all that is stored. */
    static Step<ServiceProcess> slices(String entityType, boolean live, boolean offsetForEachSlice, int pageSize) {
        return (scene, process) -> process.reader()
                .ready()
                .thenCompose(ready -> new Query(scene, process, live, offsetForEachSlice, Set.of(), settings(pageSize))
                        .run(Set.of(SliceRange.all(entityType))));
    }

    /** A query by tag, as the read journal makes it of the slices of all types with tagged events. */
    static Step<ServiceProcess> tag(boolean live) {
        return (scene, process) -> process.reader()
                .ready()
                .thenCompose(ready -> process.taggedTypes().taggedTypes())
                .thenCompose(types -> new Query(scene, process, live, true, Set.of(EntityBook.TAG), settings(3))
                        .run(types.stream().map(SliceRange::all).collect(Collectors.toSet())));
    }

    private static void expect(Object expected, Object found, String of) {
        Broken.unless(expected.equals(found), "%s has %s instead of %s", of, found, expected);
    }

    /** A query in one process, with a consumer that stores its offset with each event. */
    private static final class Query {
        private final Scene scene;
        private final ServiceProcess process;
        private final boolean live;
        private final Set<String> tags;
        private final ConsumerBook consumer;
        private final SliceQuery query;
        private final EnvelopeOffsets offsets;
        private final CompletableFuture<Void> ended = new CompletableFuture<>();
        private @Nullable Runnable timer;
        private Map<String, SortedMap<Long, String>> expected = Map.of();

        Query(
                Scene scene,
                ServiceProcess process,
                boolean live,
                boolean offsetForEachSlice,
                Set<String> tags,
                SliceQuerySettings settings) {
            this.scene = scene;
            this.process = process;
            this.live = live;
            this.tags = tags;
            this.consumer = scene.consumer("query");
            Offset stored = consumer.begin();
            Offset start = offsetForEachSlice && stored.equals(Offset.noOffset()) ? SliceOffsets.EMPTY : stored;
            this.offsets = EnvelopeOffsets.startingAt(start, process.clock());
            this.query = new SliceQuery(
                    process.index(),
                    process.reader(),
                    settings,
                    new SliceQuery.Plan(OffsetStarts.of(start, false, settings), start instanceof SliceOffsets, live),
                    process.clock(),
                    this::soon,
                    this::take);
        }

        CompletionStage<Void> run(Collection<SliceRange> ranges) {
            Map<String, SortedMap<Long, String>> all = new HashMap<>();
            scene.entities().forEach((id, book) -> {
                if (ranges.stream().anyMatch(range -> range.contains(id))) {
                    SortedMap<Long, String> events = book.events();
                    events.values().removeIf(text -> !tags.isEmpty() && !text.endsWith(EntityBook.TAGGED));
                    if (!events.isEmpty()) {
                        all.put(id, events);
                    }
                }
            });
            expected = all;
            soon(() -> {
                query.read(ranges);
                take();
            });
            return ended;
        }

        private void soon(Runnable action) {
            process.after(Duration.ZERO, () -> {
                try {
                    if (!ended.isDone()) {
                        action.run();
                    }
                } catch (RuntimeException | Broken e) {
                    end(e);
                }
            });
        }

        private void take() {
            @Nullable SliceEvent delivery = query.poll();
            while (delivery != null) {
                Event event = delivery.event();
                if (event.tags().containsAll(tags)) {
                    consumer.got(
                            event.persistenceId(),
                            event.sequenceNumber(),
                            Steps.text(event.payload()),
                            offsets.of(delivery));
                }
                delivery = query.poll();
            }
            if (query.failure().isPresent()) {
                end(query.failure().get());
                return;
            }
            if (query.isFinished() || (live && consumer.events().equals(expected))) {
                expect(expected, consumer.events(), "the consumer");
                end(null);
                return;
            }
            if (timer != null) {
                timer.run();
            }
            timer = query.untilNextStep()
                    .map(delay -> process.after(
                            delay,
                            () -> soon(() -> {
                                query.proceed();
                                take();
                            })))
                    .orElse(null);
        }

        private void end(@Nullable Throwable thrown) {
            query.close();
            if (thrown == null) {
                ended.complete(null);
            } else {
                ended.completeExceptionally(thrown);
            }
        }
    }
}
