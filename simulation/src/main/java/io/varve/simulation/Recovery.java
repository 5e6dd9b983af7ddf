package io.varve.simulation;

import io.varve.store.VarveException;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.replay.Replayer;
import io.varve.store.internal.snapshot.Criteria;
import io.varve.store.internal.snapshot.Snapshot;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A recovery as Pekko makes it: the last snapshot, the highest number, the events between; and whether all of it is true. */
final class Recovery {
    static final Criteria ALL = new Criteria(0, Long.MAX_VALUE, Instant.EPOCH, Instant.ofEpochMilli(Long.MAX_VALUE));

    /** What an instance knows when it has recovered. */
    record Recovered(History history, long highest, long snapshotAt) {}

    /** The snapshot was too old when the highest number was found: an entity must not live on with what it has. */
    private static final class Outdated extends VarveException {
        private static final long serialVersionUID = 1L;

        Outdated(String entity) {
            super("Entity " + entity + " has recovered from a snapshot that another instance has replaced meanwhile.");
        }
    }

    private final Instance instance;
    private final EntityTruth.Moment begin;
    private final NodeKnowledge.OfRecovery knowledge;
    private final boolean withHint;
    private History history = new History();
    private long highest;
    private long snapshotAt;
    private boolean outdated;
    private boolean looksAgain;

    private Recovery(Instance instance) {
        this.instance = instance;
        this.begin = instance.truth().now();
        this.knowledge = instance.truth().knowledge().recovers(instance.node());
        this.withHint = !instance.world().happens(Feature.NO_HINT);
    }

    static CompletionStage<Recovered> of(Instance instance) {
        instance.note(() -> "recovers");
        return new Recovery(instance).run();
    }

    private CompletionStage<Recovered> run() {
        return instance.snapshots()
                .load(instance.entity(), ALL, false, CompletableFuture::completedFuture)
                .thenCompose(snapshot -> {
                    snapshotAt = snapshot.map(Snapshot::sequenceNumber).orElse(0L);
                    snapshot.ifPresent(
                            saved -> history = instance.truth().states().decode(saved.payload()));
                    return instance.events().highestSequenceNumber(instance.entity(), withHint ? snapshotAt : 0);
                })
                .thenCompose(number -> {
                    highest = withHint ? Math.max(number, snapshotAt) : number; // as Pekko does
                    instance.truth().foundHighest(begin, highest);
                    // Who has loaded a snapshot cannot know that a later one was saved, and the events between deleted.
                    outdated = instance.truth().notReplayedTo() > snapshotAt;
                    // Where the node has learned of later events meanwhile than were read, the replay looks once more.
                    looksAgain = knowledge.findsWhatOthersFound(number);
                    return instance.events()
                            .replay(
                                    new Replayer.Range(instance.entity(), snapshotAt + 1, number, Long.MAX_VALUE),
                                    page -> {
                                        add(page);
                                        return CompletableFuture.completedFuture(null);
                                    });
                })
                .thenApply(done -> recovered());
    }

    private void add(List<Event> page) {
        long before = 0;
        for (Event event : page) {
            if (event.timestamp() <= before) {
                throw instance.broken(
                        "has an event " + event.sequenceNumber() + " that is not later than the one before it");
            }
            before = event.timestamp();
            history.add(event.sequenceNumber(), Instance.text(event.payload()));
        }
    }

    private Recovered recovered() {
        World world = instance.world();
        if (snapshotAt > 0) {
            world.met(Rare.RECOVERED_FROM_A_SNAPSHOT);
        }
        if (instance.truth().isDeleting()) {
            world.met(Rare.RECOVERED_BESIDE_A_DELETE);
        }
        instance.note(() -> "recovered up to " + highest + " with a snapshot at " + snapshotAt);
        if (outdated || (looksAgain && instance.truth().notReplayedTo() > snapshotAt)) {
            throw new Outdated(instance.entity());
        }
        instance.truth().recovered(begin, highest, history);
        return new Recovered(history, highest, snapshotAt);
    }
}
