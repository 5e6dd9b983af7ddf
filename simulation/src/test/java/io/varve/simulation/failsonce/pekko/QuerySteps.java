package io.varve.simulation.failsonce.pekko;

import io.varve.persistence.query.SliceOffsets;
import io.varve.persistence.query.javadsl.DynamoDBReadJournal;
import io.varve.simulation.failsonce.Broken;
import io.varve.simulation.failsonce.ConsumerBook;
import io.varve.simulation.failsonce.EntityBook;
import io.varve.simulation.failsonce.Scene;
import io.varve.simulation.failsonce.Step;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.pekko.NotUsed;
import org.apache.pekko.persistence.query.EventEnvelope;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.stream.KillSwitches;
import org.apache.pekko.stream.UniqueKillSwitch;
import org.apache.pekko.stream.javadsl.Keep;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;

/** What queries deliver, compared with what was acknowledged. */
final class QuerySteps {
    private static final int LAST_SLICE = 1023;

    private QuerySteps() {}

    /** An event as a query delivers it. */
    private record Delivered(String entity, long number, String text, Offset offset) {
        static Delivered of(EventEnvelope envelope) {
            return new Delivered(
                    envelope.persistenceId(), envelope.sequenceNr(), (String) envelope.event(), envelope.offset());
        }

        static Delivered of(org.apache.pekko.persistence.query.typed.EventEnvelope<String> envelope) {
            return new Delivered(
                    envelope.persistenceId(), envelope.sequenceNr(), envelope.getEvent(), envelope.offset());
        }
    }

    /** All events of an entity; a live query ends with the last one. */
    static Step<PekkoProcess> events(String entity, boolean live) {
        return (scene, process) -> {
            SortedMap<Long, String> expected = scene.entity(entity).events();
            DynamoDBReadJournal queries = process.queries();
            Source<EventEnvelope, NotUsed> events = live
                    ? queries.eventsByPersistenceId(entity, 1, expected.lastKey())
                    : queries.currentEventsByPersistenceId(entity, 1, Long.MAX_VALUE);
            return events.map(Delivered::of)
                    .runWith(Sink.seq(), process.system())
                    .thenAccept(all -> {
                        SortedMap<Long, String> found = new TreeMap<>();
                        all.forEach(one -> Broken.unless(
                                (found.isEmpty() || found.lastKey() < one.number)
                                        && found.put(one.number, one.text) == null,
                                "%d comes out of order",
                                one.number));
                        expect(expected, found, entity);
                    });
        };
    }

    /** The last number, the time and the content of a single event. */
    static Step<PekkoProcess> lookups(String entity) {
        return (scene, process) -> {
            SortedMap<Long, String> events = scene.entity(entity).events();
            long last = events.lastKey();
            DynamoDBReadJournal queries = process.queries();
            return queries.currentLastSequenceNumberByPersistenceId(entity)
                    .thenAccept(number -> expect(Optional.of(last), number, entity))
                    .thenCompose(next -> queries.timestampOf(entity, last))
                    .thenAccept(time -> Broken.unless(time.isPresent(), "%d has no time", last))
                    .thenCompose(next -> queries.<String>loadEnvelope(entity, last))
                    .thenAccept(envelope ->
                            expect(Optional.ofNullable(events.get(last)), envelope.getOptionalEvent(), entity));
        };
    }

    /** The ids of all entities. */
    static Step<PekkoProcess> ids() {
        return (scene, process) -> process.queries()
                .currentPersistenceIds()
                .runWith(Sink.seq(), process.system())
                .thenAccept(ids -> {
                    expect(scene.entities().keySet(), new TreeSet<>(ids), "the list");
                    Broken.unless(ids.size() == scene.entities().size(), "it lists some twice: %s", ids);
                });
    }

    /** The ids of all entities, one page after another. */
    static Step<PekkoProcess> pagesOfIds() {
        return (scene, process) -> page(process, Optional.empty(), new TreeSet<>())
                .thenAccept(found -> expect(scene.entities().keySet(), found, "the list"));
    }

    private static CompletionStage<Set<String>> page(PekkoProcess process, Optional<String> after, Set<String> found) {
        return process.queries()
                .currentPersistenceIds(after, 2)
                .runWith(Sink.seq(), process.system())
                .thenCompose(ids -> {
                    ids.forEach(id -> Broken.unless(found.add(id), "%s is listed twice", id));
                    return ids.isEmpty()
                            ? CompletableFuture.completedFuture(found)
                            : page(process, Optional.of(ids.get(ids.size() - 1)), found);
                });
    }

    /** A query of all slices of an entity type, from where its consumer was. */
    static Step<PekkoProcess> currentSlices(String type) {
        return (scene, process) -> consume(
                scene,
                process,
                expected(scene, type, ""),
                offset -> process.queries()
                        .<String>currentEventsBySlices(type, 0, LAST_SLICE, offset)
                        .map(Delivered::of),
                false);
    }

    /** The same, live: until all is there, and until what is to fail has failed. */
    static Step<PekkoProcess> liveSlices(String type) {
        return (scene, process) -> consume(
                scene,
                process,
                expected(scene, type, ""),
                offset -> process.queries()
                        .<String>eventsBySlices(type, 0, LAST_SLICE, offset)
                        .map(Delivered::of),
                true);
    }

    static Step<PekkoProcess> currentTag() {
        return (scene, process) -> consume(
                scene,
                process,
                expected(scene, "", EntityBook.TAGGED),
                offset -> process.queries()
                        .currentEventsByTag(EntityBook.TAG, offset)
                        .map(Delivered::of),
                false);
    }

    static Step<PekkoProcess> liveTag() {
        return (scene, process) -> consume(
                scene,
                process,
                expected(scene, "", EntityBook.TAGGED),
                offset -> process.queries().eventsByTag(EntityBook.TAG, offset).map(Delivered::of),
                true);
    }

    private static Map<String, SortedMap<Long, String>> expected(Scene scene, String type, String end) {
        Map<String, SortedMap<Long, String>> all = new HashMap<>();
        scene.entities().forEach((id, book) -> {
            SortedMap<Long, String> events = book.events();
            events.values().removeIf(text -> !id.startsWith(type) || !text.endsWith(end));
            if (!events.isEmpty()) {
                all.put(id, events);
            }
        });
        return all;
    }

    private static CompletionStage<?> consume(
            Scene scene,
            PekkoProcess process,
            Map<String, SortedMap<Long, String>> expected,
            Function<Offset, Source<Delivered, NotUsed>> query,
            boolean live) {
        ConsumerBook consumer = scene.consumer("query");
        Offset stored = consumer.begin();
        Offset start = stored.equals(Offset.noOffset()) ? SliceOffsets.EMPTY : stored;
        CompletableFuture<Void> all = new CompletableFuture<>();
        if (consumer.events().equals(expected)) {
            all.complete(null);
        }
        UniqueKillSwitch stop = query.apply(start)
                .viaMat(KillSwitches.single(), Keep.right())
                .toMat(
                        Sink.foreach(one -> {
                            consumer.got(one.entity, one.number, one.text, one.offset);
                            if (live && consumer.events().equals(expected)) {
                                all.complete(null);
                            }
                        }),
                        (killSwitch, ended) -> {
                            ended.whenComplete((done, thrown) -> {
                                if (thrown != null) {
                                    all.completeExceptionally(thrown);
                                } else {
                                    all.complete(null);
                                }
                            });
                            return killSwitch;
                        })
                .run(process.system());
        CompletableFuture<Void> end =
                live ? all.thenCompose(got -> process.wire().settled()) : all;
        return end.whenComplete((got, thrown) -> stop.shutdown())
                .thenAccept(got -> expect(expected, consumer.events(), "the consumer"));
    }

    private static void expect(Object expected, Object found, String of) {
        Broken.unless(expected.equals(found), "%s has %s instead of %s", of, found, expected);
    }
}
