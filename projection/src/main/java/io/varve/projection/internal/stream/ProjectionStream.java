package io.varve.projection.internal.stream;

import io.varve.persistence.internal.plugin.PluginClients;
import io.varve.persistence.query.SliceOffsets;
import io.varve.projection.ProgressObservers;
import io.varve.projection.internal.delivery.DeliveryMode;
import io.varve.projection.internal.delivery.DeliveryModes;
import io.varve.projection.internal.delivery.GroupedWithin;
import io.varve.projection.internal.event.AdaptedEvent;
import io.varve.projection.internal.event.EntityEvents;
import io.varve.projection.internal.event.InFlight;
import io.varve.projection.internal.event.Position;
import io.varve.projection.internal.pekko.SafeObservers;
import io.varve.projection.internal.progress.OffsetSaver;
import io.varve.projection.internal.progress.ProjectionProgress;
import io.varve.projection.internal.progress.Transactions;
import io.varve.projection.internal.retry.HandlerRecovery;
import io.varve.projection.internal.retry.OutageRetries;
import io.varve.projection.internal.settings.OffsetStoreSettings;
import io.varve.projection.internal.settings.ProjectionOptions;
import io.varve.projection.javadsl.DynamoDBProjection;
import io.varve.store.internal.async.Causes;
import io.varve.store.internal.offset.LastProcessed;
import io.varve.store.internal.offset.OffsetTable;
import io.varve.store.internal.offset.SliceOffset;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.Cancellable;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.event.Logging;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.TimestampOffset;
import org.apache.pekko.projection.BySlicesSourceProvider;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.RunningProjection.AbortProjectionException$;
import org.apache.pekko.projection.StatusObserver;
import org.apache.pekko.projection.internal.HandlerRecoveryImpl;
import org.apache.pekko.projection.internal.TelemetryProvider;
import org.apache.pekko.projection.javadsl.SourceProvider;
import org.apache.pekko.stream.KillSwitches;
import org.apache.pekko.stream.SharedKillSwitch;
import org.apache.pekko.stream.javadsl.Source;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** A projection from one start to the next stop or failure. */
public final class ProjectionStream<E> {
    private static final Logger LOG = LoggerFactory.getLogger(ProjectionStream.class);
    /** How many envelopes that wait are judged together, so that their entities' rows are read by one request. */
    private static final int ADMITTED_AT_ONCE = 100;

    private final ProjectionId id;
    private final SourceProvider<Offset, E> provider;
    private final DeliveryModes.Run<E> flavours;
    private final OffsetTable table;
    private final OffsetStoreSettings settings;
    private final ProjectionOptions options;
    private final ActorSystem<?> system;
    private final SafeObservers<E> watch;
    private final EntityEvents<E> journal;
    private final ProjectionProgress progress;
    private final OutageRetries outages;
    private final OffsetSaver saver;
    private final Admission<E> admission;
    private final Transactions<E> transactions;
    private final HandlerRecovery<E> recovery;
    private final SharedKillSwitch killSwitch;
    private final AtomicBoolean warned = new AtomicBoolean();
    private volatile Optional<Boolean> paused = Optional.empty();
    private boolean stopped;
    private @Nullable CompletionStage<Done> starting;

    public ProjectionStream(
            ProjectionId id,
            SourceProvider<Offset, E> provider,
            DeliveryModes.Run<E> flavours,
            OffsetTable table,
            OffsetStoreSettings settings,
            ProjectionOptions options,
            StatusObserver<E> observer,
            ActorSystem<?> system) {
        this.id = id;
        this.provider = provider;
        this.flavours = flavours;
        this.table = table;
        this.settings = settings;
        this.options = options;
        this.system = system;
        ProgressObservers observers = ProgressObservers.get(system);
        this.watch = new SafeObservers<>(id, observer, TelemetryProvider.start(id, system), observers);
        this.journal = EntityEvents.of(provider);
        this.progress =
                new ProjectionProgress(settings.timeWindow(), settings.maxEntities(), settings.acceptResetAfter());
        this.outages = new OutageRetries(
                id,
                settings.retries(),
                observers,
                system,
                PluginClients.get(system).clock());
        this.saver = new OffsetSaver(id, table, settings, progress, observers, outages);
        this.admission = new Admission<>(
                id.id(),
                table,
                progress,
                journal,
                settings.replayMissing(),
                settings.timeToLive().of(id.name()),
                PluginClients.get(system).clock(),
                outages);
        this.transactions = new Transactions<>(id.id(), table, progress);
        this.recovery = new HandlerRecovery<>(
                HandlerRecoveryImpl.apply(
                        id,
                        options.recoveryStrategy(),
                        Logging.getLogger(system.classicSystem(), DynamoDBProjection.class),
                        watch,
                        watch),
                system);
        this.killSwitch = KillSwitches.shared(id.id());
    }

    /** Ends the stream when what is under way is done; retries, of the handler and in outages, are given up. */
    public void stop() {
        synchronized (this) {
            stopped = true;
        }
        killSwitch.shutdown();
        recovery.giveUp();
        outages.giveUp();
    }

    /**
     * The stream, which processes as it is run. Its value completes when nothing of this incarnation is under way any more.
     *
     * @param before what must be over first
     */
    public Source<Done, CompletionStage<Done>> source(CompletionStage<?> before) {
        watch.started(id);
        DeliveryMode<E> flavour = flavour();
        Source<InFlight<E>, NotUsed> admitted = Source.lazyCompletionStageSource(
                        () -> before.handle((over, thrown) -> null).thenCompose(over -> envelopes(flavour)))
                .mapMaterializedValue(value -> NotUsed.getInstance())
                .via(killSwitch.<E>flow())
                .via(AdaptedEvent.assembling())
                .batch(ADMITTED_AT_ONCE, ProjectionStream::first, ProjectionStream::more)
                .mapAsync(1, admission::admit)
                .flatMapConcat(source -> source)
                .via(killSwitch.<Admission.Admitted<E>>flow())
                .mapConcat(this::begin);
        return unwrapped(flavour.process(admitted, this)).watchTermination((value, done) -> {
            Cancellable flusher = system.scheduler()
                    .scheduleWithFixedDelay(
                            settings.sliceFlushInterval(),
                            settings.sliceFlushInterval(),
                            saver::flush,
                            system.executionContext());
            return done.handle((end, thrown) -> Optional.<Throwable>ofNullable(thrown))
                    .thenCompose(failure -> {
                        flusher.cancel();
                        return settled()
                                .thenCompose(settled -> saver.lastFlush())
                                .thenCompose(flushed -> stop(flavour))
                                .thenCompose(stopped -> ended(failure));
                    });
        });
    }

    private static <T> Source<T, NotUsed> unwrapped(Source<T, NotUsed> source) {
        return source.mapError(CompletionException.class, Causes::unwrap);
    }

    /** A flavour that fails when it is used if there is no handler. */
    private DeliveryMode<E> flavour() {
        try {
            return flavours.next();
        } catch (RuntimeException | LinkageError | AssertionError e) {
            return (admitted, incarnation) -> Source.failed(e);
        }
    }

    /** Nothing begins any more; completes when what has begun is over. */
    private CompletionStage<?> settled() {
        synchronized (this) {
            stopped = true;
        }
        CompletionStage<?> attempts = recovery.giveUp();
        outages.giveUp();
        return attempts.thenCompose(done -> saver.saved());
    }

    private CompletionStage<Done> start(DeliveryMode<E> flavour) {
        CompletableFuture<Done> begun = new CompletableFuture<>();
        synchronized (this) {
            if (stopped) {
                return CompletableFuture.failedFuture(AbortProjectionException$.MODULE$);
            }
            starting = begun;
        }
        flavour.start().whenComplete((started, thrown) -> {
            if (thrown == null) {
                begun.complete(started);
            } else {
                begun.completeExceptionally(thrown);
            }
        });
        return begun;
    }

    /** Stops a handler after its start is over, whatever became of that. */
    private CompletionStage<Done> stop(DeliveryMode<E> flavour) {
        CompletionStage<Done> begun;
        synchronized (this) {
            if (starting == null) {
                return CompletableFuture.completedFuture(Done.getInstance());
            }
            begun = starting;
        }
        return begun.handle((started, thrown) -> null)
                .thenCompose(over -> flavour.stop())
                .exceptionally(thrown -> {
                    LOG.warn("{}: the handler failed to stop.", id.id(), Causes.unwrap(thrown));
                    return Done.getInstance();
                });
    }

    private CompletionStage<Done> ended(Optional<Throwable> failure) {
        Optional<Throwable> cause =
                failure.map(Causes::unwrap).filter(thrown -> !(thrown instanceof AbortProjectionException$));
        cause.ifPresent(watch::failed);
        watch.stopped();
        cause.ifPresent(thrown -> watch.failed(id, thrown));
        watch.stopped(id);
        return cause.<CompletionStage<Done>>map(CompletableFuture::failedFuture)
                .orElseGet(() -> CompletableFuture.completedFuture(Done.getInstance()));
    }

    private static <T> List<T> first(T element) {
        List<T> list = new ArrayList<>();
        list.add(element);
        return list;
    }

    private static <T> List<T> more(List<T> list, T element) {
        list.add(element);
        return list;
    }

    private CompletionStage<Source<E, NotUsed>> envelopes(DeliveryMode<E> flavour) {
        BySlicesSourceProvider slices = (BySlicesSourceProvider) provider;
        int min = slices.minSlice();
        int max = slices.maxSlice();
        return journal.reads()
                .thenCompose(reads -> outages.runAtStart(() -> table.start(min, max, reads.slicesPerShard()))
                        .thenCompose(stored -> {
                            progress.start(min, max, reads.slicesPerShard().orElse(1), stored);
                            paused = Optional.of(stored.paused());
                            if (stored.paused()) {
                                LOG.info("Projection {} is paused.", id.id());
                                return CompletableFuture.completedFuture(Source.never());
                            }
                            return start(flavour)
                                    .thenCompose(started ->
                                            provider.source(() -> CompletableFuture.completedFuture(Optional.of(
                                                    offsets(progress.places()).withEventOffsets()))));
                        }));
    }

    /** Whether the projection was paused when this incarnation has started; absent before that. */
    public Optional<Boolean> paused() {
        return paused;
    }

    /** The offset that is stored, as far as this incarnation knows; absent before it has started. */
    public Optional<SliceOffsets> stored() {
        return paused.map(known -> offsets(progress.stored()));
    }

    public static SliceOffsets offsets(Map<Integer, SliceOffset> places) {
        Map<Integer, TimestampOffset> offsets = new HashMap<>();
        places.forEach((slice, place) -> offsets.put(
                slice, SliceOffsets.timestampOffset(Position.instant(place.timestamp()), Instant.EPOCH, place.seen())));
        return SliceOffsets.of(offsets);
    }

    /** What an adapter drops needs no processing. */
    private List<InFlight<E>> begin(Admission.Admitted<E> admitted) {
        AdaptedEvent<E> event = admitted.event();
        ProjectionProgress.Ticket ticket = progress.begin(event.position(), admitted.cause());
        if (event.envelopes().isEmpty()) {
            progress.drop(ticket);
            return List.of();
        }
        List<Object> externals = new ArrayList<>();
        for (E envelope : event.envelopes()) {
            watch.beforeProcess(id, envelope);
            externals.add(watch.beforeProcess(envelope, provider.extractCreationTime(envelope)));
        }
        return List.of(new InFlight<>(event, ticket, externals));
    }

    public ProjectionId id() {
        return id;
    }

    /**
     * Stores all in one transaction, however long it takes, and returns nothing; or stores nothing, and returns those of the group
     * that were processed elsewhere.
     */
    public CompletionStage<List<InFlight<E>>> store(Collection<TransactWriteItem> items, List<InFlight<E>> group) {
        return outages.run(() -> transactions.store(items, group));
    }

    public List<InFlight<E>> open(List<InFlight<E>> group) {
        return progress.open(group);
    }

    public Source<List<InFlight<E>>, NotUsed> grouped(Source<InFlight<E>, NotUsed> admitted) {
        return admitted.via(GroupedWithin.of(options.groupSize(), options.groupDuration()));
    }

    /** Stores the progress of what was processed, for several envelopes at once. */
    public Source<Done, NotUsed> saveAfterwards(Source<InFlight<E>, NotUsed> processed) {
        return unwrapped(processed)
                .recoverWithRetries(1, AbortProjectionException$.class, Source::empty)
                .via(GroupedWithin.of(options.saveSize(), options.saveDuration()))
                .mapAsync(1, group -> saving(() -> save(group)));
    }

    /** Does what ends with a save; the end of this incarnation waits for it. */
    public CompletionStage<Done> saving(Supplier<CompletionStage<Done>> action) {
        return saver.saving(action);
    }

    /** Runs an attempt by the recovery strategy. */
    public CompletionStage<Done> recovering(
            List<InFlight<E>> group, Supplier<CompletionStage<Done>> attempt, Supplier<CompletionStage<Done>> onSkip) {
        E first = group.get(0).envelopes().get(0);
        E last = group.get(group.size() - 1).envelopes().get(0);
        return recovery.run(first, provider.extractOffset(first), provider.extractOffset(last), attempt, onSkip);
    }

    /** The handler is done with an event. */
    public Done processed(InFlight<E> passing) {
        passing.envelopes().forEach(envelope -> watch.afterProcess(id, envelope));
        passing.externals().forEach(watch::afterProcess);
        return Done.getInstance();
    }

    public InFlight<E> processedByFlow(InFlight<E> passing) {
        List<Position> passedOver = progress.passOver(passing.ticket());
        if (!passedOver.isEmpty() && !warned.getAndSet(true)) {
            LOG.warn(
                    "{}: the flow emitted nothing for {}, but for a later event of the entity, so that both count as processed."
                            + " A flow must emit an element for each envelope. This is logged once for each start.",
                    id.id(),
                    passedOver.get(0));
        }
        processed(passing);
        return passing;
    }

    public void flowEnded(@Nullable Throwable thrown) {
        if (thrown != null) {
            watch.error(thrown);
        }
    }

    /** Envelopes are skipped; their progress is stored with that of others. */
    public CompletionStage<Done> skipped() {
        return CompletableFuture.completedFuture(Done.getInstance());
    }

    /** The progress of envelopes is stored. */
    public Done stored(List<InFlight<E>> group) {
        progress.complete(ProjectionProgress.tickets(group));
        if (!group.isEmpty()) {
            List<E> envelopes = InFlight.envelopes(group);
            watch.offsetProgress(id, envelopes.get(envelopes.size() - 1));
            watch.onOffsetStored(envelopes.size());
        }
        return Done.getInstance();
    }

    /** Stores the progress of envelopes after they were processed. */
    public CompletionStage<Done> save(List<InFlight<E>> group) {
        Map<String, LastProcessed> last = new HashMap<>();
        for (InFlight<E> passing : group) {
            last.put(passing.position().persistenceId(), passing.position().asProcessed());
        }
        return saver.save(List.copyOf(last.values())).thenApply(saved -> stored(group));
    }

    public static String describe(List<? extends InFlight<?>> group) {
        Position first = group.get(0).position();
        return group.size() == 1 ? first.toString() : group.size() + " events, the first of which is " + first;
    }
}
