package io.varve.simulation;

import io.varve.store.internal.snapshot.Criteria;
import io.varve.store.internal.snapshot.Snapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** What an instance does beside its writes: it saves its state, and then deletes what that covers. */
final class SnapshotKeeper {
    private static final Duration SOON = Duration.ofMillis(50);
    private static final int PART = 20_000;
    private static final int LARGE = 60_000;

    private final Instance instance;
    private final Neighbours neighbours;

    private long savedAt;

    SnapshotKeeper(Instance instance, Neighbours neighbours) {
        this.instance = instance;
        this.neighbours = neighbours;
    }

    /** The number of the last snapshot that events were deleted for, or that was recovered from. */
    long savedAt() {
        return savedAt;
    }

    void recoveredFrom(long number) {
        savedAt = number;
    }

    /** Saves a state; then, perhaps, deletes, unless the instance has stopped meanwhile. */
    void save(History history, long at, Owner owner) {
        World world = instance.world();
        int bytes = world.happens(Feature.LARGE_SNAPSHOTS) ? world.random().nextInt(LARGE) : 0;
        instance.note(() -> "saves a snapshot at " + at);
        Snapshot snapshot = new Snapshot(
                instance.entity(),
                at,
                instance.node().clock().instant(),
                instance.truth().states().encode(history, at, bytes),
                Optional.empty(),
                false);
        boolean visited = neighbours.visit();
        instance.snapshots().save(snapshot).whenComplete((done, thrown) -> {
            instance.requireOurs(thrown);
            if (thrown != null) {
                instance.note(() -> "has not saved its snapshot");
                return;
            }
            if (bytes > PART) {
                world.met(Rare.SNAPSHOT_IN_PARTS_SAVED);
            }
            if (mayDelete(owner) && world.happens(Feature.DELETES)) {
                instance.node().after(visited ? world.about(SOON) : Duration.ZERO, () -> {
                    if (mayDelete(owner)) {
                        delete(at, owner);
                    }
                });
            }
        });
    }

    private boolean mayDelete(Owner owner) {
        return !owner.isStopped()
                && !instance.truth().isCalm()
                && instance.truth()
                        .presences()
                        .isAlone(instance.name(), instance.world().now());
    }

    private void delete(long at, Owner owner) {
        World world = instance.world();
        instance.note(() -> "deletes up to " + at);
        savedAt = at;
        instance.truth().deleting(at);
        neighbours.visit();
        if (world.happens(Feature.STOPS_AFTER_A_DELETE)) {
            owner.stop();
        }
        instance.events().delete(instance.entity(), at).whenComplete((gone, failed) -> {
            instance.truth().deleted();
            instance.requireOurs(failed);
            if (failed == null) {
                world.met(Rare.EVENTS_DELETED);
            }
        });
        instance.snapshots()
                .delete(instance.entity(), new Criteria(0, at - 1, Instant.EPOCH, Instant.ofEpochMilli(Long.MAX_VALUE)))
                .whenComplete((gone, failed) -> instance.requireOurs(failed));
    }
}
