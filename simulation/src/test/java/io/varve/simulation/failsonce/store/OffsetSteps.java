package io.varve.simulation.failsonce.store;

import io.varve.simulation.failsonce.Broken;
import io.varve.simulation.failsonce.ProjectionBook;
import io.varve.simulation.failsonce.Step;
import io.varve.simulation.failsonce.UseCase.Invariant;
import io.varve.store.Slices;
import io.varve.store.internal.client.WriteResult;
import io.varve.store.internal.offset.Advance;
import io.varve.store.internal.offset.LastProcessed;
import io.varve.store.internal.offset.OffsetTable;
import io.varve.store.internal.offset.SetOffsets;
import io.varve.store.internal.offset.SliceOffset;
import io.varve.store.internal.offset.SliceReach;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.stream.LongStream;

/** What projections do with their offsets, on the table and without streams. */
public final class OffsetSteps {
    static final String ENTITY = "cart|a";
    private static final int PER_SHARD = 256;
    private static final LastProcessed NOTHING = new LastProcessed(ENTITY, 0, 0);
    private static final int SLICE = Slices.of(ENTITY);

    /** The instance's share of the slices, in which this entity is. */
    private static final int MIN = SLICE / 32 * 32;

    private static final int MAX = MIN + 31;

    private OffsetSteps() {}

    private interface WithProgress {
        CompletionStage<?> run(SetOffsets sets, long last);
    }

    /** An instance starts, and learns how far it is. */
    private static CompletionStage<?> start(ServiceProcess process, String entity, WithProgress then) {
        OffsetTable table = process.offsets();
        return table.start(MIN, MAX, OptionalInt.of(PER_SHARD))
                .thenCompose(stored -> table.lastProcessed(List.of(entity), stored.sets())
                        .thenCompose(found -> then.run(
                                stored.sets(),
                                found.getOrDefault(entity, NOTHING).sequenceNumber())));
    }

    static Step<ServiceProcess> start() {
        return (scene, process) -> start(process, ENTITY, (sets, last) -> Steps.done());
    }

    /** Exactly once: each event in a transaction with its effect, and the place at the end. */
    static Step<ServiceProcess> exactlyOnce(int events) {
        return (scene, process) -> start(process, ENTITY, (sets, last) -> {
            Step<ServiceProcess> all = Step.nothing();
            for (long number = last + 1; number <= events; number++) {
                LastProcessed event = ProjectionEvents.event(ENTITY, number);
                all = all.then((same, its) -> its.offsets()
                        .transact(
                                List.of(ProjectionBook.effect(event.persistenceId(), event.sequenceNumber())),
                                List.of(Advance.of(event)),
                                sets)
                        .thenAccept(result -> Broken.unless(
                                result instanceof WriteResult.Applied, "%s was refused: %s", event, result)));
            }
            List<LastProcessed> end = List.of(ProjectionEvents.event(ENTITY, events));
            return all.then((same, its) -> its.offsets().save(ProjectionEvents.places(end), sets))
                    .run(scene, process);
        });
    }

    /** The effects of so many events are stored once, without a gap; all of them in the end. */
    static Invariant<ServiceProcess> once(int events) {
        return (scene, succeeded) -> (same, process) -> start(process, ENTITY, (sets, last) -> {
            Map<Long, Integer> effects = ProjectionBook.effects(scene, ENTITY);
            Broken.unless(effects.equals(times(last, 1)), "The effects up to %d are stored %s", last, effects);
            Broken.unless(!succeeded || last == events, "only %d of %d are processed", last, events);
            return Steps.done();
        });
    }

    private static Map<Long, Integer> times(long events, int times) {
        Map<Long, Integer> all = new TreeMap<>();
        LongStream.rangeClosed(1, events).forEach(number -> all.put(number, times));
        return all;
    }

    /** A group of events of many entities, in one transaction. */
    static Step<ServiceProcess> group(int entities) {
        return (scene, process) -> start(process, entity(0), (sets, last) -> {
            if (last > 0) {
                return Steps.done();
            }
            List<LastProcessed> events = first(entities);
            return process.offsets()
                    .transact(
                            events.stream()
                                    .map(event -> ProjectionBook.effect(event.persistenceId(), event.sequenceNumber()))
                                    .toList(),
                            events.stream().map(Advance::of).toList(),
                            sets)
                    .thenAccept(result ->
                            Broken.unless(result instanceof WriteResult.Applied, "a group was refused: %s", result))
                    .thenCompose(stored -> process.offsets().save(ProjectionEvents.places(events), sets));
        });
    }

    /** A group is stored as a whole or not at all. */
    static Invariant<ServiceProcess> wholeGroup(int entities) {
        return (scene, succeeded) -> {
            long there = first(entities).stream()
                    .filter(event ->
                            ProjectionBook.effects(scene, event.persistenceId()).equals(times(1, 1)))
                    .count();
            Broken.unless(
                    there == entities || (there == 0 && !succeeded), "%d of %d effects are stored", there, entities);
            return Step.nothing();
        };
    }

    /** At least once: a handler sees one event of each entity, and then the progress is saved. */
    static Step<ServiceProcess> atLeastOnce(int entities) {
        return (scene, process) -> start(process, entity(0), (sets, last) -> {
            List<LastProcessed> events = first(entities);
            events.forEach(event -> scene.projection().handled(event.persistenceId(), event.sequenceNumber()));
            return process.offsets()
                    .save(events, sets)
                    .thenCompose(saved -> process.offsets().save(ProjectionEvents.places(events), sets));
        });
    }

    /** The rows of entities that others have stored are raised only. */
    static Step<ServiceProcess> raise(int entities) {
        return (scene, process) -> start(process, entity(0), (sets, last) -> {
            List<LastProcessed> events = first(entities);
            events.forEach(event -> scene.projection().handled(event.persistenceId(), event.sequenceNumber()));
            return process.offsets().raise(events, sets);
        });
    }

    /** No row is ahead of what a handler has seen; all are stored in the end. */
    static Invariant<ServiceProcess> nothingLeftOut(int entities) {
        return (scene, succeeded) -> (same, process) -> {
            List<String> ids =
                    first(entities).stream().map(LastProcessed::persistenceId).toList();
            return process.offsets()
                    .start(MIN, MAX, OptionalInt.of(PER_SHARD))
                    .thenCompose(stored -> process.offsets()
                            .lastProcessed(ids, stored.sets())
                            .thenAccept(found -> {
                                found.values()
                                        .forEach(last -> Broken.unless(
                                                scene.projection()
                                                        .hasHandledUpTo(last.persistenceId(), last.sequenceNumber()),
                                                "%s counts as processed",
                                                last));
                                Broken.unless(
                                        !succeeded || found.size() == entities,
                                        "only %d of %d are stored",
                                        found.size(),
                                        entities);
                            }));
        };
    }

    private static String entity(int number) {
        return "cart|" + number;
    }

    private static List<LastProcessed> first(int entities) {
        List<LastProcessed> events = new ArrayList<>();
        for (int i = 0; i < entities; i++) {
            events.add(ProjectionEvents.event(entity(i), 1));
        }
        return events;
    }

    /** Somebody sets the offset to just after an event. */
    static Step<ServiceProcess> rewindTo(long number) {
        return set(number, Map.of(ENTITY, number));
    }

    /** Somebody sets the offset to the time of an event, which is then processed again. */
    static Step<ServiceProcess> rewindToTimeOf(long number) {
        return set(number, Map.of());
    }

    private static Step<ServiceProcess> set(long number, Map<String, Long> seen) {
        long timestamp = ProjectionEvents.timestamp(number);
        return (scene, process) -> process.offsets().set(Map.of(SLICE, new SliceOffset(timestamp, seen, timestamp)));
    }

    static Step<ServiceProcess> clear() {
        return (scene, process) -> process.offsets().clear(SLICE, SLICE + 3);
    }

    /** Of so many events those after one are processed again once it was told so, and never only some of them. */
    static Invariant<ServiceProcess> goesOnAfter(long number, long events) {
        return goesOn(number, number, events);
    }

    /** The same from the time of an event on; nothing is known then of the entity. */
    static Invariant<ServiceProcess> goesOnFrom(long number, long events) {
        return goesOn(0, number, events);
    }

    private static Invariant<ServiceProcess> goesOn(long known, long number, long events) {
        return (scene, succeeded) -> (same, process) -> start(process, ENTITY, (sets, last) -> {
            Broken.unless(
                    last == known || (last == events && !succeeded),
                    "%d counts as processed after the offset was set to %d",
                    last,
                    number);
            return process.offsets().read(MIN, MAX).thenAccept(stored -> {
                long place = stored.places()
                        .getOrDefault(SLICE, SliceOffset.BEGINNING)
                        .timestamp();
                long set = number == 0 ? SliceOffset.BEGINNING.timestamp() : ProjectionEvents.timestamp(number);
                Broken.unless(
                        place == set || (place == ProjectionEvents.timestamp(events) && !succeeded),
                        "The place is %d after it was set to %d",
                        place,
                        set);
            });
        });
    }

    static Step<ServiceProcess> pause(boolean paused) {
        return (scene, process) -> process.offsets().setPaused(MIN, MAX, paused);
    }

    /** It is paused, or goes on, in each slice in which it was told so. */
    public static Invariant<ServiceProcess> isPaused(boolean paused) {
        return (scene, succeeded) -> (same, process) -> process.offsets()
                .isPaused(MIN, MAX)
                .thenAccept(is -> Broken.unless(!succeeded || is == paused, "it is paused: %s", is));
    }

    /** An instance looks how far the projection is, and whether it is paused. */
    static Step<ServiceProcess> look(long number, boolean paused) {
        return (scene, process) -> process.offsets().read(MIN, MAX).thenAccept(stored -> {
            Broken.unless(stored.paused() == paused, "it is paused: %s", stored.paused());
            Broken.unless(
                    stored.places().getOrDefault(SLICE, SliceOffset.BEGINNING).timestamp()
                            == ProjectionEvents.timestamp(number),
                    "its place is %s",
                    stored.places());
        });
    }

    /** Somebody deletes all that is stored of the projection. */
    static Step<ServiceProcess> delete() {
        return (scene, process) -> process.offsets().deleteAll();
    }

    /** All of its progress is there and paused, or what is left of it is deleted by doing it again. */
    static Invariant<ServiceProcess> isDeleted() {
        return (scene, succeeded) -> (same, process) -> process.offsets()
                .deleteAll()
                .thenCompose(again -> process.offsets().read(MIN, MAX))
                .thenAccept(stored ->
                        Broken.unless(stored.places().isEmpty() && !stored.paused(), "this is left: %s", stored));
    }

    /** Somebody asks from outside how far the projection is. */
    static Step<ServiceProcess> reach(long number) {
        return (scene, process) -> process.offsets().reach(MIN, MAX).thenAccept(all -> {
            SliceReach reach = all.getOrDefault(SLICE, SliceReach.BEGINNING);
            Broken.unless(reach.coversAllUpTo(ProjectionEvents.timestamp(number) - 1), "it is at %s", reach);
        });
    }
}
