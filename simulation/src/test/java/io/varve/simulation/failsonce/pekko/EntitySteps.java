package io.varve.simulation.failsonce.pekko;

import io.varve.simulation.failsonce.Broken;
import io.varve.simulation.failsonce.EntityBook;
import io.varve.simulation.failsonce.EntityBook.State;
import io.varve.simulation.failsonce.EntityBook.Write;
import io.varve.simulation.failsonce.Scene;
import io.varve.simulation.failsonce.Step;
import io.varve.simulation.failsonce.pekko.Entity.DeleteEvents;
import io.varve.simulation.failsonce.pekko.Entity.Persist;
import io.varve.simulation.failsonce.pekko.Entity.PersistAsync;
import io.varve.simulation.failsonce.pekko.Entity.PersistTooLarge;
import io.varve.simulation.failsonce.pekko.Entity.Question;
import io.varve.simulation.failsonce.pekko.Entity.Recovered;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** What services do with persistent actors and their events, each noted in their books. */
final class EntitySteps {
    private EntitySteps() {}

    /** What is done with an actor that has recovered. */
    interface WithEntity {
        CompletionStage<?> run(Entity entity, EntityBook book);
    }

    /** With an actor that runs, or else is started and recovers what it was told. */
    static Step<PekkoProcess> with(String id, Entity.Kind kind, WithEntity then) {
        return (scene, process) -> {
            Entity entity = process.running(id).orElseGet(() -> process.runs(id, new Entity(process, kind, id)));
            return entity.recovered().thenCompose(recovered -> {
                if (entity.next() == 0) {
                    compare(scene, id, recovered);
                    entity.next(recovered.highest() + 1);
                }
                return then.run(entity, scene.entity(id));
            });
        };
    }

    private static void compare(Scene scene, String id, Recovered recovered) {
        SortedMap<Long, String> events = new TreeMap<>();
        for (String text : recovered.events()) {
            long number = Long.parseLong(text.split("/", -1)[1]);
            Broken.unless(events.isEmpty() || events.lastKey() < number, "%s replays %d out of order", id, number);
            events.put(number, text);
        }
        long snapshot = recovered.snapshot().map(Entity.SavedState::number).orElse(0L);
        if (snapshot > 0) {
            scene.snapshotsOf(id).foundLatest(snapshot, recovered.snapshot().map(Entity.SavedState::text));
        }
        scene.entity(id).found(snapshot + 1, recovered.highest(), events);
    }

    /** The answer to a question, or what the actor has failed with. */
    static <T> CompletableFuture<T> ask(Entity entity, Function<CompletableFuture<T>, Question> question) {
        CompletableFuture<T> answer = entity.orFailed(new CompletableFuture<>());
        entity.ask(question.apply(answer));
        return answer;
    }

    static Step<PekkoProcess> recover(String id) {
        return with(id, TypedEntity::start, (entity, book) -> CompletableFuture.completedFuture(null));
    }

    static Step<PekkoProcess> recoverClassic(String id) {
        return with(id, ClassicEntity::start, (entity, book) -> CompletableFuture.completedFuture(null));
    }

    static Step<PekkoProcess> recoverFromSnapshot(String id) {
        return with(id, ClassicEntity::startFromSnapshot, (entity, book) -> CompletableFuture.completedFuture(null));
    }

    /** Stores events one by one, each when the last one is stored. */
    static Step<PekkoProcess> persist(String id, int events) {
        return events == 1 ? persistAll(id, 1) : persistAll(id, 1).then(persist(id, events - 1));
    }

    /** Stores events in one atomic write. */
    static Step<PekkoProcess> persistAll(String id, int events) {
        return with(id, TypedEntity::start, (entity, book) -> store(entity, book, events, ""));
    }

    static Step<PekkoProcess> persistTagged(String id, int events) {
        return with(id, TypedEntity::start, (entity, book) -> store(entity, book, events, EntityBook.TAGGED));
    }

    static Step<PekkoProcess> persistAllClassic(String id, int events) {
        return with(id, ClassicEntity::start, (entity, book) -> store(entity, book, events, ""));
    }

    private static CompletionStage<?> store(Entity entity, EntityBook book, int events, String mark) {
        Write write = book.begin(entity.next(), events, mark);
        return EntitySteps.<Long>ask(entity, answer -> new Persist(write.texts(), answer))
                .thenAccept(last -> stored(entity, book, write, last));
    }

    private static void stored(Entity entity, EntityBook book, Write write, long last) {
        Broken.unless(last == write.last(), "%s has stored up to %d instead of %d", book.id(), last, write.last());
        book.stored(write);
        entity.next(last + 1);
    }

    /** Hands over events one by one, without waiting. */
    static Step<PekkoProcess> persistAsync(String id, int events) {
        return with(id, ClassicEntity::start, (entity, book) -> {
            List<Write> writes = new ArrayList<>();
            List<CompletableFuture<Long>> answers = new ArrayList<>();
            List<CompletableFuture<Void>> noted = new ArrayList<>();
            for (int i = 0; i < events; i++) {
                Write write = book.begin(entity.next() + i, 1, "");
                CompletableFuture<Long> answer = entity.orFailed(new CompletableFuture<>());
                writes.add(write);
                answers.add(answer);
            }
            for (int i = 0; i < events; i++) {
                Write write = writes.get(i);
                noted.add(answers.get(i).thenAccept(last -> stored(entity, book, write, last)));
            }
            entity.ask(new PersistAsync(
                    writes.stream().map(write -> write.texts().get(0)).toList(), answers));
            return CompletableFuture.allOf(noted.toArray(CompletableFuture[]::new));
        });
    }

    /** Tries to store an event that is too large. */
    static Step<PekkoProcess> persistTooLarge(String id) {
        return with(id, ClassicEntity::start, (entity, book) -> {
            Write write = book.begin(entity.next(), 1, "");
            write.is(State.NOT_STORED);
            return EntitySteps.<Long>ask(
                            entity, answer -> new PersistTooLarge(write.texts().get(0), answer))
                    .thenAccept(number -> entity.next(number + 1));
        });
    }

    static Step<PekkoProcess> delete(String id, long to) {
        return with(id, ClassicEntity::start, (entity, book) -> {
            book.deleting(to);
            return EntitySteps.<Long>ask(entity, answer -> new DeleteEvents(to, answer))
                    .thenAccept(deleted -> book.deleted(to));
        });
    }
}
