package io.varve.simulation;

import io.varve.store.WriterConflictException;
import io.varve.store.internal.async.Causes;
import io.varve.store.internal.layout.JournalKeys;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * An instance of an entity, as an actor is one: it recovers, writes one after another, saves snapshots, and stops when a write fails.
 * Nothing keeps a second instance from living elsewhere.
 */
final class Owner {
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration IN_A_BURST = Duration.ofMillis(10);
    private static final int BURST = 15;
    private static final Duration LONG_PAUSE = Duration.ofSeconds(10);
    /** Shorter than what is waited for when all is well. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(25);

    private static final Duration LONG_WRITE = Duration.ofSeconds(2);
    /** How near to the end of a group a write ends that is to. */
    private static final int NEAR_A_BORDER = 4;

    private static final int MOST_OF_A_CHAIN = 160;
    private static final int LONGEST_TRANSACTION = 98;
    private static final Duration IN_A_CHAIN = Duration.ofMillis(60);

    private final Instance instance;
    private final World world;
    private final SnapshotKeeper snapshots;
    private final Neighbours neighbours;

    private History history = new History();
    private long last;
    private int written;
    private int burst;
    private boolean rejectedBefore;
    private boolean stopped;

    /** One that does nothing yet. */
    Owner(Instance instance, Neighbours neighbours) {
        this.instance = instance;
        this.world = instance.world();
        this.snapshots = new SnapshotKeeper(instance, neighbours);
        this.neighbours = neighbours;
    }

    boolean isStopped() {
        return stopped || !instance.node().isAlive();
    }

    int written() {
        return written;
    }

    void stop() {
        if (!stopped) {
            instance.note(() -> "stops");
            stopped = true;
            instance.truth().presences().leaves(instance.name());
        }
    }

    /** Recovers, and then works until it is stopped. */
    void start() {
        instance.node().execute(() -> {
            instance.truth().presences().recovers(instance, world.now());
            then(Recovery.of(instance), recovered -> {
                instance.truth().presences().rests(instance, world.now());
                history = recovered.history();
                last = recovered.highest();
                snapshots.recoveredFrom(recovered.snapshotAt());
                work();
            });
        });
    }

    /** After some time, the next thing. */
    private void work() {
        instance.node().after(pause(), () -> {
            if (stopped) {
                return;
            }
            if (last > snapshots.savedAt()
                    && !rejectedBefore // as typed actors do: after an event that is stored
                    && world.happens(Feature.SNAPSHOTS)) {
                snapshots.save(history, last, this);
                work();
            } else {
                write(size());
            }
        });
    }

    /** Now and then many writes follow each other, or none for long, while another instance recovers. */
    private Duration pause() {
        if (burst == 0 && world.happens(Feature.BURSTS)) {
            burst = BURST;
            neighbours.company(instance.process());
        }
        if (burst > 0) {
            burst--;
            return world.about(IN_A_BURST);
        }
        if (written > 0 && world.happens(Feature.LONG_PAUSES)) {
            neighbours.company(instance.process());
            return world.about(LONG_PAUSE, LONGEST_PAUSE);
        }
        return world.about(PAUSE, LONGEST_PAUSE);
    }

    private int size() {
        if (world.happens(Feature.CHAINS)) {
            return JournalKeys.GROUP_SIZE - 5 + world.random().nextInt(MOST_OF_A_CHAIN);
        }
        if (world.happens(Feature.GROUP_BORDERS)) {
            long border = JournalKeys.groupStart(JournalKeys.group(last + 1) + 1);
            long end = border - NEAR_A_BORDER + world.random().nextInt(NEAR_A_BORDER + 1);
            return (int) Math.max(1, end - last);
        }
        return world.happens(Feature.BATCHES) ? 2 + world.random().nextInt(4) : 1;
    }

    private void write(int size) {
        boolean tooLarge = size < 5 && world.happens(Feature.REJECTIONS);
        long first = last + 1;
        last += size;
        boolean tagged = instance.truth().isTagged(world.now());
        boolean oneRequest =
                size == 1 && !rejectedBefore && (!tagged || instance.process().hasStoredTagsOf(instance.truth()));
        instance.truth().presences().writes(instance, oneRequest, world.now());
        World.Task tooLong = world.after(
                LONG_WRITE,
                () -> neighbours.company(instance.process())); // as if the node could not be reached any more
        if (size > LONGEST_TRANSACTION) {
            chain();
        }
        then(Writing.of(instance, history, first, size, tooLarge), stored -> {
            tooLong.callOff();
            instance.truth().presences().rests(instance, world.now());
            if (tooLarge) {
                rejectedBefore = true;
            } else {
                if (rejectedBefore) {
                    world.met(Rare.WRITE_AFTER_A_REJECTION_STORED);
                }
                rejectedBefore = false;
                if (tagged) {
                    instance.process().hasStoredTags(instance.truth());
                }
                written++;
                neighbours.stored(stored);
            }
            work();
        });
    }

    /** A write that takes several transactions: others recover meanwhile, and perhaps it is interrupted. */
    private void chain() {
        neighbours.company(instance.process());
        if (world.happens(Feature.BROKEN_CHAINS)) {
            world.met(Rare.CHAIN_BROKEN_OFF);
            instance.node().after(world.about(IN_A_CHAIN), () -> {
                neighbours.trouble(instance.process());
                neighbours.company(instance.process());
            });
        }
    }

    private <T> void then(CompletionStage<T> operation, Consumer<T> next) {
        operation.whenComplete((result, thrown) -> {
            if (thrown != null) {
                failed(Causes.unwrap(thrown));
            } else if (!stopped) {
                world.keep(() -> next.accept(result));
            }
        });
    }

    private void failed(Throwable cause) {
        if (cause instanceof BrokenPromise broken) {
            world.broken(broken);
            return;
        }
        instance.requireOurs(cause);
        instance.note(() -> "fails: " + cause.getMessage());
        stop();
        if (cause instanceof WriterConflictException) {
            world.met(Rare.WRITER_FENCED_BY_ANOTHER);
            world.keep(() -> instance.truth().fenced(instance.name(), history.last(), world.now()));
        }
    }
}
