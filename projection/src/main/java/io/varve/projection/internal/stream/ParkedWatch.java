package io.varve.projection.internal.stream;

import io.varve.projection.ProgressObserver;
import io.varve.projection.internal.event.AdaptedEvent;
import io.varve.projection.internal.event.Position;
import io.varve.projection.internal.progress.InFlight;
import io.varve.projection.internal.progress.StreamProgress;
import io.varve.store.Slices;
import io.varve.store.internal.async.Causes;
import io.varve.store.internal.async.Concurrently;
import io.varve.store.internal.offset.EntityRow;
import io.varve.store.internal.offset.LastProcessed;
import io.varve.store.internal.offset.OffsetTable;
import io.varve.store.internal.offset.ParkedRow;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.stream.BoundedSourceQueue;
import org.apache.pekko.stream.QueueOfferResult;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out what is ordered for parked entities of a stream: looks at the list of them, and brings their events from the journal.
 *
 * <p>Only the table is believed. A listed entity that its row does not say to be parked may have events that were passed by: they
 * are read from the journal, and pass the admission as any others. The entity leaves the list when its row says that the last of
 * them is done. So whoever dies in between, the next stream finds the list and does it again.
 */
final class ParkedWatch<E> {
    private static final Logger LOG = LoggerFactory.getLogger(ParkedWatch.class);
    private static final int MOST_WAITING = 10_000;
    private static final int PARALLEL_ORDERS = 4;

    private final ProjectionId id;
    private final OffsetTable table;
    private final StreamProgress progress;
    private final ProgressObserver observers;
    private final EntityHistory<E> journal;
    private final ActorSystem<?> system;
    private final Set<String> listed = ConcurrentHashMap.newKeySet();
    /** Whose events are being read, or were. */
    private final Map<ParkedRow, Optional<LastProcessed>> read = new ConcurrentHashMap<>();

    private final Set<ParkedRow> reading = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean checking = new AtomicBoolean();
    private final AtomicBoolean again = new AtomicBoolean();
    private volatile boolean active;
    private volatile boolean failed;
    private volatile Predicate<String> isMine = persistenceId -> false;
    private volatile @Nullable BoundedSourceQueue<ParkedRow> queue;

    ParkedWatch(
            ProjectionId id,
            OffsetTable table,
            StreamProgress progress,
            ProgressObserver observers,
            EntityHistory<E> journal,
            ActorSystem<?> system) {
        this.id = id;
        this.table = table;
        this.progress = progress;
        this.observers = observers;
        this.journal = journal;
        this.system = system;
    }

    /** The events of entities that are to go on, one entity after another. */
    Source<InFlight<E>, NotUsed> events() {
        return Source.<ParkedRow>queue(MOST_WAITING)
                .mapMaterializedValue(made -> {
                    queue = made;
                    return NotUsed.getInstance();
                })
                .flatMapConcat(this::events);
    }

    private Source<InFlight<E>, NotUsed> events(ParkedRow row) {
        AtomicReference<Optional<LastProcessed>> last = new AtomicReference<>(Optional.empty());
        return stored(row)
                .map(event -> {
                    last.set(Optional.of(event.position().asProcessed()));
                    InFlight<E> arrived = InFlight.ofParked(event);
                    progress.arrived(arrived);
                    return arrived;
                })
                .concatLazy(Source.lazySource(
                        () -> { // concat would begin with it before the events are read
                            read.put(row, last.get());
                            return Source.<InFlight<E>>empty();
                        }));
    }

    private Source<AdaptedEvent<E>, NotUsed> stored(ParkedRow row) {
        return journal.stored(row.persistenceId(), row.event().sequenceNumber(), Long.MAX_VALUE);
    }

    /** No more events are wanted when those that are under way are over. */
    void end() {
        active = false;
        BoundedSourceQueue<ParkedRow> made = queue;
        if (made != null) {
            made.complete();
        }
    }

    /** Begins to care for the entities of a range of slices. */
    void start(int minSlice, int maxSlice, Optional<String> entityType) {
        isMine = persistenceId -> {
            int slice = Slices.of(persistenceId);
            return minSlice <= slice
                    && slice <= maxSlice
                    && entityType
                            .map(type -> type.equals(Slices.entityType(persistenceId)))
                            .orElse(true);
        };
        active = true;
    }

    /** An entity is parked. */
    void parked(String persistenceId) {
        if (listed.add(persistenceId)) {
            tell();
        }
    }

    private void tell() {
        if (active) {
            observers.parkedEntities(id, listed.size());
        }
    }

    /** Looks at the list if there is something in it, as far as is known. */
    void checkKnown() {
        if (failed || !listed.isEmpty()) {
            check();
        }
    }

    /** Looks at the list, and does what is to be done. If it fails, that is done another time. */
    CompletionStage<Void> check() {
        if (!active) {
            return CompletableFuture.completedFuture(null);
        }
        if (!checking.compareAndSet(false, true)) {
            again.set(true);
            return CompletableFuture.completedFuture(null);
        }
        return table.parked()
                .list()
                .thenCompose(all -> check(all.stream()
                        .filter(row -> isMine.test(row.persistenceId()))
                        .toList()))
                .handle((done, thrown) -> {
                    if (thrown != null) {
                        LOG.warn(
                                "{}: what is ordered for parked entities could not be carried out, and will be tried again: {}",
                                id.id(),
                                Causes.unwrap(thrown).getMessage());
                    }
                    failed = thrown != null;
                    checking.set(false);
                    return again.getAndSet(false) ? check() : CompletableFuture.<Void>completedFuture(null);
                })
                .thenCompose(next -> next);
    }

    private CompletionStage<Void> check(List<ParkedRow> rows) {
        Set<String> persistenceIds = rows.stream().map(ParkedRow::persistenceId).collect(Collectors.toSet());
        listed.addAll(persistenceIds);
        listed.retainAll(persistenceIds);
        read.keySet().retainAll(rows);
        reading.retainAll(rows);
        tell();
        return rows.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : table.load(persistenceIds, progress.sets())
                        .thenCompose(found -> Concurrently.run(
                                rows,
                                PARALLEL_ORDERS,
                                row -> carryOut(row, Optional.ofNullable(found.get(row.persistenceId())))));
    }

    private CompletionStage<?> carryOut(ParkedRow row, Optional<EntityRow> entity) {
        boolean waits =
                entity.flatMap(EntityRow::parkedAt).filter(at -> !at.retried()).isPresent();
        if (waits) {
            return row.order() == ParkedRow.Order.GIVE_UP ? giveUp(row) : CompletableFuture.completedFuture(null);
        }
        Optional<LastProcessed> last = read.get(row);
        if (last != null && isDone(last, entity)) {
            LOG.info("{}: '{}' has caught up.", id.id(), row.persistenceId());
            return table.parked().remove(row).thenRun(() -> {
                read.remove(row);
                reading.remove(row);
                listed.remove(row.persistenceId());
                tell();
            });
        }
        BoundedSourceQueue<ParkedRow> made = queue;
        if (made != null && reading.add(row) && made.offer(row) != QueueOfferResult.enqueued()) {
            reading.remove(row);
        }
        return CompletableFuture.completedFuture(null);
    }

    /** Whether the last event that the journal held is stored as done, or counts as that. */
    private boolean isDone(Optional<LastProcessed> last, Optional<EntityRow> entity) {
        if (last.isEmpty()) {
            return true;
        }
        LastProcessed read = last.get();
        return read.timestamp() < progress.setTo(Slices.of(read.persistenceId()))
                || entity.filter(row -> row.parkedAt().isEmpty())
                        .map(EntityRow::last)
                        .filter(done ->
                                done.sequenceNumber() >= read.sequenceNumber() || done.timestamp() >= read.timestamp())
                        .isPresent();
    }

    /** Makes the entity go on after the last event that the journal holds now. */
    private CompletionStage<?> giveUp(ParkedRow row) {
        return stored(row)
                .map(AdaptedEvent::position)
                .map(Position::asProcessed)
                .runWith(Sink.fold(row.event(), (before, next) -> next), system)
                .thenCompose(last -> table.parked().skipTo(last, row.event().sequenceNumber()))
                .thenAccept(done -> {
                    if (done) {
                        LOG.warn(
                                "{}: the events of '{}' that are stored were given up, from {} on.",
                                id.id(),
                                row.persistenceId(),
                                row.event().sequenceNumber());
                    }
                    again.set(true);
                });
    }
}
