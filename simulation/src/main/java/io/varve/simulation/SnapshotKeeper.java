package io.varve.simulation;

import io.varve.store.internal.snapshot.Criteria;
import io.varve.store.internal.snapshot.Snapshot;
import java.time.Instant;
import java.util.Optional;

/** What an instance does beside its writes: it saves its state, and then deletes what that covers. */
final class SnapshotKeeper {
    private static final int PART = 20_000;
    private static final int LARGE = 60_000;

    private final Instance instance;
    /** Another one may recover meanwhile. */
    private final Runnable company;

    private long savedAt;

    SnapshotKeeper(Instance instance, Runnable company) {
        this.instance = instance;
        this.company = company;
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
        instance.snapshots().save(snapshot).whenComplete((done, thrown) -> {
            instance.requireOurs(thrown);
            if (thrown != null) {
                instance.note(() -> "has not saved its snapshot");
                return;
            }
            if (bytes > PART) {
                world.met(Rare.SNAPSHOT_IN_PARTS_SAVED);
            }
            if (!owner.isStopped()
                    && !instance.truth().isCalm()
                    && world.happens(Feature.DELETES)
                    && instance.truth().isAlone(instance.name(), world.now())) {
                delete(at, owner);
            }
        });
    }

    private void delete(long at, Owner owner) {
        World world = instance.world();
        instance.note(() -> "deletes up to " + at);
        savedAt = at;
        instance.truth().deleting(at);
        company.run();
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
