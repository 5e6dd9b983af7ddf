package io.varve.simulation;

import io.varve.store.VarveException;
import io.varve.store.WriterConflictException;
import io.varve.store.internal.append.AppendRequest;
import io.varve.store.internal.append.AppendRequest.NewEvent;
import io.varve.store.internal.append.AppendResult;
import io.varve.store.internal.async.Causes;
import io.varve.store.internal.journal.EventStore;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.Payload;
import io.varve.store.internal.replay.Replayer;
import io.varve.store.internal.snapshot.Criteria;
import io.varve.store.internal.snapshot.Snapshot;
import io.varve.store.internal.snapshot.SnapshotStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.SdkBytes;

/**
 * An instance of an entity on a node, as an actor is one: it recovers from a snapshot and events, writes one after another, saves
 * snapshots and deletes what they cover, and stops when a write fails. Nothing keeps a second instance from living elsewhere.
 */
final class Owner {
    /** The tag that some events have. */
    static final String TAG = "blue";

    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration IN_A_BURST = Duration.ofMillis(10);
    private static final int BURST = 15;
    /** So long that another instance has time to write and to delete. */
    private static final Duration OVERTAKEN = Duration.ofSeconds(60);

    private static final Duration LONG_PAUSE = Duration.ofSeconds(8);
    /** Shorter than what is waited for when all is well. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(20);

    private static final String TOO_LARGE = "x".repeat(410_000);
    private static final Criteria ALL =
            new Criteria(0, Long.MAX_VALUE, Instant.EPOCH, Instant.ofEpochMilli(Long.MAX_VALUE));
    /** Who deletes sooner after another instance did something could delete before that one notices: see the README's exception. */
    private static final Duration ALONE_BEFORE_DELETING = Duration.ofSeconds(40);

    private static final Duration IN_ALL = Duration.ofSeconds(10);

    private final World world;
    private final Node node;
    private final EventStore events;
    private final SnapshotStore snapshots;
    private final EntityTruth truth;
    private final Consumer<List<Event>> published;
    /** May let another instance recover soon. */
    private final Runnable beside;

    private final BooleanSupplier endsWithADelete;

    private final String writer;
    private History history = new History();
    private long last;
    private long snapshotAt;
    private int written;
    private int burst;
    private boolean rejectedBefore;
    private boolean stopped;

    Owner(
            World world,
            Node node,
            EventStore events,
            SnapshotStore snapshots,
            EntityTruth truth,
            int life,
            Consumer<List<Event>> published,
            Runnable beside,
            BooleanSupplier endsWithADelete) {
        this.published = published;
        this.beside = beside;
        this.endsWithADelete = endsWithADelete;
        this.world = world;
        this.node = node;
        this.events = events;
        this.snapshots = snapshots;
        this.truth = truth;
        this.writer = truth.entity() + "/" + life;
    }

    boolean isStopped() {
        return stopped || !node.isAlive();
    }

    int written() {
        return written;
    }

    void stop() {
        note(() -> "stops");
        stopped = true;
    }

    /** Recovers, and then works until it is stopped. */
    void start() {
        node.execute(this::recover);
    }

    private void recover() {
        truth.active(writer, world.now());
        EntityTruth.Moment begin = truth.now();
        note(() -> "recovers");
        boolean withHint = world.happens(0.7); // without one, as those recover who have no snapshots
        History[] found = {new History()};
        long[] highest = new long[1];
        CompletionStage<Void> recovery = snapshots
                .load(truth.entity(), ALL, false, CompletableFuture::completedFuture)
                .thenCompose(snapshot -> {
                    long from = snapshot.map(Snapshot::sequenceNumber).orElse(0L);
                    snapshot.ifPresent(saved -> found[0] = truth.states().decode(text(saved.payload())));
                    snapshotAt = from;
                    return events.highestSequenceNumber(truth.entity(), withHint ? from : 0)
                            .thenCompose(number -> {
                                highest[0] = withHint ? Math.max(number, from) : number; // as Pekko does
                                return events.replay(
                                        new Replayer.Range(truth.entity(), from + 1, number, Long.MAX_VALUE), page -> {
                                            inOrder(page);
                                            page.forEach(event ->
                                                    found[0].add(event.sequenceNumber(), text(event.payload())));
                                            return CompletableFuture.completedFuture(null);
                                        });
                            });
                });
        then(recovery, done -> {
            if (snapshotAt > 0) {
                world.met(Rare.RECOVERED_FROM_A_SNAPSHOT);
            }
            if (truth.isDeleting()) {
                world.met(Rare.RECOVERED_BESIDE_A_DELETE);
            }
            note(() -> "recovered up to " + highest[0] + " with a snapshot at " + snapshotAt);
            truth.active(writer, world.now());
            truth.recovered(begin, highest[0], found[0]);
            history = found[0];
            last = highest[0];
            work();
        });
    }

    private void inOrder(List<Event> page) {
        for (int i = 1; i < page.size(); i++) {
            if (page.get(i).timestamp() <= page.get(i - 1).timestamp()) {
                throw new BrokenPromise(
                        "Entity " + truth.entity() + " has an event "
                                + page.get(i).sequenceNumber() + " that is not later than the one before it.",
                        truth.entity());
            }
        }
    }

    /** After some time, the next thing. */
    private void work() {
        node.after(pause(), () -> {
            if (stopped) {
                return;
            }
            int what = world.random().nextInt(20);
            if (what == 0
                    && last > snapshotAt
                    && !rejectedBefore) { // as typed actors do: after an event that is stored
                saveSnapshot();
            } else {
                write(
                        what < 14
                                ? 1
                                : what < 19 || !world.happens(0.3)
                                        ? 2 + world.random().nextInt(4)
                                        : 95 + world.random().nextInt(160));
            }
        });
    }

    /** Now and then many writes follow each other, while another instance recovers. */
    private Duration pause() {
        if (burst == 0 && world.happens(0.02)) {
            burst = BURST;
            beside.run();
        }
        if (burst > 0) {
            burst--;
            return world.about(IN_A_BURST);
        }
        if (written > 0 && world.happens(0.01)) {
            beside.run();
            return world.about(OVERTAKEN);
        }
        Duration pause = world.about(world.happens(0.1) ? LONG_PAUSE : PAUSE);
        return pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE;
    }

    private void write(int size) {
        boolean rejected = size < 5 && world.happens(0.1);
        long first = last + 1;
        last += size;
        long end = last;
        List<String> texts = new ArrayList<>();
        List<NewEvent> batch = new ArrayList<>();
        boolean tagged = truth.isTagged(world.now());
        for (long number = first; number <= end; number++) {
            String text = writer + "/" + number + (tagged ? EntityTruth.TAGGED : "");
            texts.add(text);
            batch.add(new NewEvent(
                    number,
                    payload(rejected ? TOO_LARGE : text),
                    writer,
                    "",
                    Optional.empty(),
                    tagged ? Set.of(TAG) : Set.of()));
        }
        truth.active(writer, world.now());
        note(() -> "writes " + first + ".." + end + (rejected ? ", too large" : ""));
        if (!rejected) {
            truth.trying(first, texts);
        }
        long asked = world.now();
        long stoodStill = node.stoodStill();
        then(
                events.append(
                        truth.entity(),
                        CompletableFuture.completedFuture(List.of(new AppendRequest(truth.entity(), batch))),
                        IN_ALL),
                results -> {
                    inTime(asked, stoodStill);
                    if (results.get(0) instanceof AppendResult.Rejected != rejected) {
                        throw new BrokenPromise("Entity " + truth.entity() + " was told " + results.get(0));
                    }
                    if (rejected) {
                        world.met(Rare.EVENT_REJECTED);
                        rejectedBefore = true;
                    } else {
                        if (rejectedBefore) {
                            world.met(Rare.WRITE_AFTER_A_REJECTION_STORED);
                        }
                        if (size > 100) {
                            world.met(Rare.CHAIN_STORED);
                        }
                        rejectedBefore = false;
                        note(() -> "has stored " + first + ".." + end);
                        for (int i = 0; i < size; i++) {
                            history.add(first + i, texts.get(i));
                        }
                        List<Event> stored = ((AppendResult.Stored) results.get(0)).events();
                        truth.acknowledged(
                                history,
                                end,
                                stored.get(0).timestamp(),
                                stored.get(size - 1).timestamp());
                        written++;
                        published.accept(stored);
                    }
                    work();
                });
    }

    /** An answer, whatever it is, comes before Pekko would give up; but for the time in which the node did not do anything. */
    private void inTime(long asked, long stoodStill) {
        long took = world.now() - asked - (node.stoodStill() - stoodStill);
        if (took > IN_ALL.toNanos()) {
            throw new BrokenPromise(
                    "Entity " + truth.entity() + " got the answer to a write after " + took / 1_000_000 + " ms.",
                    truth.entity());
        }
    }

    private void saveSnapshot() {
        long at = last;
        note(() -> "saves a snapshot at " + at);
        Snapshot snapshot = new Snapshot(
                truth.entity(),
                at,
                node.clock().instant(),
                payload(truth.states()
                        .encode(history, at, world.happens(0.3) ? world.random().nextInt(60_000) : 0)),
                Optional.empty(),
                false);
        int size = snapshot.payload().bytes().asByteArrayUnsafe().length;
        snapshots.save(snapshot).whenComplete((done, thrown) -> {
            if (thrown == null && size > 20_000) {
                world.met(Rare.SNAPSHOT_IN_PARTS_SAVED);
            }
            if (thrown != null) {
                requireOurs(thrown);
                note(() -> "has not saved its snapshot");
            } else if (truth.isAlone(writer, world.now() - ALONE_BEFORE_DELETING.toNanos()) && !stopped) {
                note(() -> "deletes up to " + at);
                snapshotAt = at;
                truth.deleting(at);
                beside.run();
                stopped = endsWithADelete.getAsBoolean();
                events.delete(truth.entity(), at).whenComplete((gone, failed) -> {
                    truth.deleted();
                    requireOurs(failed);
                    if (failed == null) {
                        world.met(Rare.EVENTS_DELETED);
                    }
                });
                snapshots
                        .delete(
                                truth.entity(),
                                new Criteria(0, at - 1, Instant.EPOCH, Instant.ofEpochMilli(Long.MAX_VALUE)))
                        .whenComplete((gone, failed) -> requireOurs(failed));
            }
        });
        work();
    }

    private <T> void then(CompletionStage<T> operation, Consumer<T> next) {
        operation.whenComplete((result, thrown) -> {
            if (thrown != null) {
                requireOurs(thrown);
                note(() -> "fails: " + Causes.unwrap(thrown).getMessage());
                stopped = true;
                if (Causes.unwrap(thrown) instanceof WriterConflictException) {
                    world.met(Rare.WRITER_FENCED_BY_ANOTHER);
                    world.keep(
                            () -> truth.fenced(writer, history.last(), world.now() - ALONE_BEFORE_DELETING.toNanos()));
                }
            } else if (!stopped) {
                world.keep(() -> next.accept(result));
            }
        });
    }

    private void requireOurs(@Nullable Throwable thrown) {
        if (thrown != null && !(Causes.unwrap(thrown) instanceof VarveException)) {
            world.broken(new BrokenPromise("Entity " + truth.entity() + " was told what no user understands.", thrown));
        }
    }

    private void note(Supplier<String> what) {
        world.note(() -> writer + " on " + node.name() + " " + what.get());
    }

    private static Payload payload(String text) {
        return new Payload(SdkBytes.fromUtf8String(text), 20, "");
    }

    private static String text(Payload payload) {
        return payload.bytes().asUtf8String();
    }
}
