package io.varve.simulation.failsonce.store;

import io.varve.simulation.failsonce.Broken;
import io.varve.simulation.failsonce.EntityBook;
import io.varve.simulation.failsonce.EntityBook.State;
import io.varve.simulation.failsonce.EntityBook.Write;
import io.varve.simulation.failsonce.Fault;
import io.varve.simulation.failsonce.JournalItems;
import io.varve.simulation.failsonce.Scene;
import io.varve.simulation.failsonce.Step;
import io.varve.simulation.failsonce.UseCase;
import io.varve.simulation.failsonce.Way;
import io.varve.store.internal.append.AppendRequest;
import io.varve.store.internal.append.AppendRequest.NewEvent;
import io.varve.store.internal.append.AppendResult;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.Payload;
import io.varve.store.internal.replay.Replayer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.core.SdkBytes;

/** What services do with entities, each noted in their books. */
public final class Steps {

    private static final Duration IN_ALL = Duration.ofSeconds(10);
    private static final int TOO_LARGE = 410_000;

    private Steps() {}

    static CompletionStage<Void> done() {
        return CompletableFuture.completedFuture(null);
    }

    static Payload payload(String text) {
        return new Payload(SdkBytes.fromUtf8String(text), 20, "");
    }

    static String text(Payload payload) {
        return payload.bytes().asUtf8String();
    }

    /** Stores events one by one, each when the last one is stored. */
    public static Step<ServiceProcess> persist(String entity, int events) {
        return events == 1
                ? write(entity, List.of(1), Set.of())
                : write(entity, List.of(1), Set.of()).then(persist(entity, events - 1));
    }

    /** Stores events in one atomic write. */
    public static Step<ServiceProcess> persistAll(String entity, int events) {
        return write(entity, List.of(events), Set.of());
    }

    /** Stores tagged events one by one. */
    public static Step<ServiceProcess> persistTagged(String entity, int events) {
        return events == 1
                ? write(entity, List.of(1), Set.of(EntityBook.TAG))
                : write(entity, List.of(1), Set.of(EntityBook.TAG)).then(persistTagged(entity, events - 1));
    }

    /** Hands over several atomic writes of these sizes at once. */
    static Step<ServiceProcess> persistAtOnce(String entity, Integer... sizes) {
        return write(entity, List.of(sizes), Set.of());
    }

    private static Step<ServiceProcess> write(String entity, List<Integer> sizes, Set<String> tags) {
        return (scene, process) -> recovered(scene, process, entity).thenCompose(next -> {
            List<Write> writes = new ArrayList<>();
            long first = next;
            for (int size : sizes) {
                writes.add(scene.entity(entity)
                        .begin(first, size, tags.contains(EntityBook.TAG) ? EntityBook.TAGGED : ""));
                first += size;
            }
            List<AppendRequest> requests =
                    writes.stream().map(write -> request(entity, write, tags)).toList();
            return append(process, entity, requests).thenAccept(results -> {
                Broken.unless(results.stream().allMatch(AppendResult.Stored.class::isInstance), "was told %s", results);
                writes.forEach(scene.entity(entity)::stored);
                process.next(entity, writes.get(writes.size() - 1).last() + 1);
            });
        });
    }

    /** Tries to store an event that is too large, among others if there are some. */
    static Step<ServiceProcess> persistTooLarge(String entity, int others) {
        return (scene, process) -> recovered(scene, process, entity).thenCompose(next -> {
            Write write = scene.entity(entity).begin(next, others + 1, "");
            write.is(State.NOT_STORED);
            AppendRequest request = request(entity, write, Set.of());
            List<NewEvent> events = new ArrayList<>(request.events());
            NewEvent last = events.remove(others);
            events.add(new NewEvent(
                    last.sequenceNumber(), payload("x".repeat(TOO_LARGE)), "writer", "", Optional.empty(), Set.of()));
            return append(process, entity, List.of(new AppendRequest(entity, events)))
                    .thenAccept(results -> {
                        Broken.unless(results.get(0) instanceof AppendResult.Rejected, "was told %s", results);
                        process.next(entity, write.last() + 1);
                    });
        });
    }

    private static AppendRequest request(String entity, Write write, Set<String> tags) {
        List<NewEvent> events = new ArrayList<>();
        long number = write.last() - write.texts().size() + 1;
        for (String text : write.texts()) {
            events.add(new NewEvent(number++, payload(text), "writer", "", Optional.empty(), tags));
        }
        return new AppendRequest(entity, events);
    }

    private static CompletionStage<List<AppendResult>> append(
            ServiceProcess process, String entity, List<AppendRequest> requests) {
        return process.events()
                .append(entity, CompletableFuture.completedFuture(requests), IN_ALL)
                .whenComplete((results, thrown) -> {
                    if (thrown != null) {
                        process.forget(entity);
                    }
                });
    }

    private static CompletionStage<Long> recovered(Scene scene, ServiceProcess process, String entity) {
        return process.next(entity)
                .<CompletionStage<Long>>map(CompletableFuture::completedFuture)
                .orElseGet(() -> recover(scene, process, entity, 0));
    }

    /** An entity starts and reads all its events, which must be those that were acknowledged. */
    static Step<ServiceProcess> recover(String entity) {
        return (scene, process) -> recover(scene, process, entity, 0);
    }

    /** An entity starts from the latest snapshot. */
    static Step<ServiceProcess> recoverFromSnapshot(String entity) {
        return (scene, process) -> SnapshotSteps.loadLatest(scene, process, entity)
                .thenCompose(number -> recover(scene, process, entity, number));
    }

    private static CompletionStage<Long> recover(Scene scene, ServiceProcess process, String entity, long snapshot) {
        SortedMap<Long, String> events = new TreeMap<>();
        return process.events()
                .highestSequenceNumber(entity, snapshot)
                .thenCompose(highest -> process.events()
                        .replay(new Replayer.Range(entity, snapshot + 1, highest, Long.MAX_VALUE), page -> {
                            page.forEach(event -> add(events, event));
                            return done();
                        })
                        .thenApply(replayed -> {
                            scene.entity(entity).found(snapshot + 1, highest, events);
                            process.next(entity, highest + 1);
                            return highest + 1;
                        }));
    }

    static void add(SortedMap<Long, String> events, Event event) {
        Broken.unless(
                events.isEmpty() || events.lastKey() < event.sequenceNumber(),
                "%s comes out of order at %d",
                event.persistenceId(),
                event.sequenceNumber());
        events.put(event.sequenceNumber(), text(event.payload()));
    }

    public static Step<ServiceProcess> delete(String entity, long to) {
        return (scene, process) -> {
            EntityBook book = scene.entity(entity);
            book.deleting(to);
            return process.events().delete(entity, to).thenAccept(gone -> book.deleted(to));
        };
    }

    /** Another process does something, and is gone after a request of it has taken effect. */
    public static Step<ServiceProcess> cutOff(Step<ServiceProcess> step, int request) {
        return (scene, process) -> {
            ServiceProcess doomed = process.another();
            doomed.wire().begin(new Fault(request, Way.PROCESS_GONE_AFTER_IT), UseCase.Counting.ALL);
            step.run(scene, doomed);
            return later(process, Duration.ofSeconds(5))
                    .thenAccept(now -> Broken.unless(
                            doomed.wire().isGone(),
                            "sends only %d requests before it is cut off",
                            doomed.wire().sent().size()));
        };
    }

    /** So much later. */
    static CompletionStage<Void> later(ServiceProcess process, Duration time) {
        CompletableFuture<Void> later = new CompletableFuture<>();
        process.after(time, () -> later.complete(null));
        return later;
    }

    /** After a fresh start all entities and snapshots are as they were told to be, in the store's answers and in the tables. */
    public static Step<ServiceProcess> lookAtAll(JournalItems.Leftovers leftovers) {
        return (scene, process) -> {
            Step<ServiceProcess> all = Step.nothing();
            for (String entity : scene.entities().keySet()) {
                all = all.then(recover(entity));
            }
            for (String entity : scene.snapshots().keySet()) {
                all = all.then(SnapshotSteps.lookAt(entity));
            }
            return all.run(scene, process).thenAccept(looked -> {
                JournalItems journal = new JournalItems(scene.server());
                scene.entities().values().forEach(entity -> journal.compare(entity, leftovers));
            });
        };
    }

    /** Life goes on: each entity stores one more event, and where there are snapshots one more of them, much later. */
    public static Step<ServiceProcess> goOn() {
        return (scene, process) -> {
            Step<ServiceProcess> all = Step.nothing();
            for (String entity : scene.entities().keySet()) {
                all = all.then(persist(entity, 1));
            }
            for (String entity : scene.snapshots().keySet()) {
                all = all.then(SnapshotSteps.cleanUp(entity));
            }
            return all.run(scene, process);
        };
    }
}
