package io.varve.simulation.failsonce.store;

import io.varve.simulation.failsonce.Scene;
import io.varve.simulation.failsonce.SnapshotBook;
import io.varve.simulation.failsonce.SnapshotItems;
import io.varve.simulation.failsonce.Step;
import io.varve.store.internal.snapshot.Criteria;
import io.varve.store.internal.snapshot.Snapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What services do with snapshots, each noted in their books. */
public final class SnapshotSteps {
    /** Three parts. */
    public static final int IN_PARTS = 40_000;

    /** Parts of a failed save are removed at the latest by the first clean-up after this. */
    private static final Duration PARTS_CAN_ARRIVE = Duration.ofMinutes(20);

    private SnapshotSteps() {}

    public static Step<ServiceProcess> save(String entity, long number, int bytes) {
        return (scene, process) -> {
            SnapshotBook book = scene.snapshotsOf(entity);
            String text = book.make(number, bytes);
            book.saving(number, text);
            Snapshot snapshot = new Snapshot(
                    entity, number, process.clock().instant(), Steps.payload(text), Optional.empty(), false);
            return process.snapshots().save(snapshot).thenAccept(saved -> book.saved(number, text));
        };
    }

    /** Loads the latest, which is as it was saved; its number, or 0. */
    static CompletionStage<Long> loadLatest(Scene scene, ServiceProcess process, String entity) {
        return load(process, entity, 0, Long.MAX_VALUE).thenApply(found -> {
            long number = found.map(Snapshot::sequenceNumber).orElse(0L);
            scene.snapshotsOf(entity).foundLatest(number, found.map(one -> Steps.text(one.payload())));
            return number;
        });
    }

    static Step<ServiceProcess> load(String entity) {
        return (scene, process) -> loadLatest(scene, process, entity);
    }

    private static CompletionStage<Optional<Snapshot>> load(ServiceProcess process, String entity, long from, long to) {
        return process.snapshots().load(entity, numbers(from, to), false, CompletableFuture::completedFuture);
    }

    static Step<ServiceProcess> deleteOne(String entity, long number) {
        return deleting(entity, number, number, process -> process.snapshots().delete(entity, number));
    }

    static Step<ServiceProcess> deleteUpTo(String entity, long to) {
        return deleting(entity, 0, to, process -> process.snapshots().delete(entity, numbers(0, to)));
    }

    private interface Delete {
        CompletionStage<Void> in(ServiceProcess process);
    }

    private static Step<ServiceProcess> deleting(String entity, long from, long to, Delete delete) {
        return (scene, process) -> {
            scene.snapshotsOf(entity).deleting(from, to);
            return delete.in(process)
                    .thenAccept(gone -> scene.snapshotsOf(entity).deleted(from, to));
        };
    }

    private static Criteria numbers(long from, long to) {
        return new Criteria(from, to, Instant.EPOCH, Instant.ofEpochMilli(Long.MAX_VALUE));
    }

    /** The latest one, and each by its number. */
    public static Step<ServiceProcess> lookAt(String entity) {
        Step<ServiceProcess> all = load(entity);
        return (scene, process) -> {
            Step<ServiceProcess> each = all;
            for (long number : scene.snapshotsOf(entity).numbers()) {
                each = each.then((same, its) -> load(its, entity, number, number)
                        .thenAccept(found ->
                                scene.snapshotsOf(entity).found(number, found.map(one -> Steps.text(one.payload())))));
            }
            return each.run(scene, process);
        };
    }

    /** Much later another one is saved in parts: afterwards the table has what is needed, and nothing else. */
    static Step<ServiceProcess> cleanUp(String entity) {
        return (scene, process) -> {
            long next = scene.snapshotsOf(entity).numbers().last() + 1;
            return Steps.later(process, PARTS_CAN_ARRIVE)
                    .thenCompose(now -> save(entity, next, IN_PARTS).run(scene, process))
                    .thenAccept(saved -> new SnapshotItems(scene.server()).compare(scene.snapshotsOf(entity)));
        };
    }
}
