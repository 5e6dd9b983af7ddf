package io.varve.projection.internal.stream;

import io.varve.persistence.query.SliceOffsets;
import io.varve.projection.ProgressObservers;
import io.varve.projection.internal.admission.Admission;
import io.varve.projection.internal.delivery.Delivery;
import io.varve.projection.internal.delivery.DeliveryMode;
import io.varve.projection.internal.delivery.DeliveryModes;
import io.varve.projection.internal.delivery.ProjectionParts;
import io.varve.projection.internal.event.AdaptedEvent;
import io.varve.projection.internal.event.EntityEvents;
import io.varve.projection.internal.pekko.Abort;
import io.varve.projection.internal.pekko.PekkoRecovery;
import io.varve.projection.internal.pekko.SafeObservers;
import io.varve.projection.internal.progress.EntityParking;
import io.varve.projection.internal.progress.InFlight;
import io.varve.projection.internal.progress.OffsetManagement;
import io.varve.projection.internal.progress.OffsetSaver;
import io.varve.projection.internal.progress.ProgressStore;
import io.varve.projection.internal.progress.StreamProgress;
import io.varve.projection.internal.progress.Transactions;
import io.varve.projection.internal.reached.InstanceEndedException;
import io.varve.projection.internal.reached.RunningInstances;
import io.varve.projection.internal.retry.HandlerRecovery;
import io.varve.projection.internal.retry.OutageRetries;
import io.varve.projection.internal.retry.StopSignal;
import io.varve.projection.internal.settings.OffsetStoreSettings;
import io.varve.projection.internal.settings.ProjectionOptions;
import io.varve.store.internal.async.Causes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.Cancellable;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.stream.KillSwitches;
import org.apache.pekko.stream.SharedKillSwitch;
import org.apache.pekko.stream.javadsl.Source;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A projection from one start to the next stop or failure: reads where its slices are, lets events in, has them delivered, and
 * ends when nothing of it is under way any more.
 */
public final class ProjectionStream<E> {
    private static final Logger LOG = LoggerFactory.getLogger(ProjectionStream.class);
    /** How many envelopes that wait are judged together, so that their entities' rows are read by one request. */
    private static final int ADMITTED_AT_ONCE = 100;

    private final ProjectionId id;
    private final ProjectionParts<E> parts;
    private final ActorSystem<?> system;
    private final SafeObservers<E> observers;
    private final StopSignal stop = new StopSignal();
    private final SharedKillSwitch killSwitch;
    private final OutageRetries outages;
    private final HandlerRecovery<E> recovery;
    private final StreamProgress progress;
    private final OffsetSaver saver;
    private final ParkedWatch<E> parked;
    private volatile Optional<Boolean> paused = Optional.empty();

    public ProjectionStream(ProjectionOptions<E> options, ProjectionParts<E> parts, ActorSystem<?> system) {
        this.id = options.id();
        this.parts = parts;
        this.system = system;
        this.observers = SafeObservers.start(options, system);
        this.killSwitch = KillSwitches.shared(id.id());
        OffsetStoreSettings settings = parts.settings();
        ProgressObservers told = ProgressObservers.get(system);
        OutageRetries.Timer timer =
                (delay, action) -> system.scheduler().scheduleOnce(delay, action, system.executionContext())::cancel;
        this.outages = new OutageRetries(id, settings.retries(), told, timer, parts.clock(), stop);
        this.recovery = new HandlerRecovery<>(new PekkoRecovery<>(options, observers, system), stop);
        this.progress = new StreamProgress(settings.timeWindow(), settings.maxEntities(), settings.acceptResetAfter());
        this.saver = new OffsetSaver(id, parts.table(), settings.batchSize(), progress, told, outages);
        this.parked = new ParkedWatch<>(
                id,
                parts.table(),
                progress,
                told,
                new EntityHistory<>(parts.source().journal(), outages),
                system);
    }

    /** Ends the stream when what is under way is done; retries, of the handler and in outages, are given up. */
    public void stop() {
        killSwitch.shutdown();
        stop.stop();
    }

    /**
     * The stream, which processes as it is run. Its value completes when nothing of it is under way any more.
     *
     * @param before what must be over first
     */
    public Source<Done, CompletionStage<Done>> source(DeliveryModes.Run<E> modes, CompletionStage<?> before) {
        observers.started(id);
        DeliveryMode<E> mode = next(modes);
        if (mode.isExactlyOnce()) {
            saver.exactlyOnce();
        }
        StartedHandler handler = new StartedHandler(id.id(), mode, stop);
        return mode.process(admitted(mode, handler, before), delivery(mode.isExactlyOnce()))
                .mapError(CompletionException.class, Causes::unwrap)
                .watchTermination((value, done) -> {
                    Cancellable flusher = flushing();
                    Cancellable watch = watching();
                    StreamInstance instance =
                            new StreamInstance(parts.source(), progress, parked, system.executionContext());
                    RunningInstances.get(system).add(id.name(), instance);
                    return done.handle((end, thrown) -> Optional.<Throwable>ofNullable(thrown))
                            .thenCompose(failure -> {
                                flusher.cancel();
                                watch.cancel();
                                RunningInstances.get(system).remove(id.name(), instance);
                                return settled()
                                        .thenCompose(settled -> {
                                            progress.ended(new InstanceEndedException());
                                            return saver.lastFlush();
                                        })
                                        .thenCompose(flushed -> handler.stop())
                                        .thenCompose(stopped -> ended(failure));
                            });
                });
    }

    /** A mode that fails when it is used if there is no handler. */
    private static <E> DeliveryMode<E> next(DeliveryModes.Run<E> modes) {
        try {
            return modes.next();
        } catch (RuntimeException | LinkageError | AssertionError e) {
            return (admitted, delivery) -> Source.failed(e);
        }
    }

    private Source<InFlight<E>, NotUsed> admitted(
            DeliveryMode<E> mode, StartedHandler handler, CompletionStage<?> before) {
        EntityEvents<E> journal = parts.source().journal();
        OffsetStoreSettings settings = parts.settings();
        Admission.Rules rules = new Admission.Rules(
                settings.replayMissing(),
                mode.hasProgressInItems()
                        ? Optional.empty()
                        : settings.timeToLive().of(id.name()),
                parts.clock());
        Admission<E> admission = new Admission<>(
                id, mode.lastProcessedEvents(parts.table()), progress, journal, rules, outages, parked::parked);
        MissingEvents<E> missing = new MissingEvents<>(admission, journal, outages);
        Source<InFlight<E>, NotUsed> brought = Source.lazyCompletionStageSource(
                        () -> before.handle((over, thrown) -> null).thenCompose(over -> envelopes(handler)))
                .mapMaterializedValue(value -> NotUsed.getInstance())
                .via(killSwitch.<E>flow())
                .via(AdaptedEvent.assembling())
                .map(this::arrived)
                .watchTermination((value, done) -> {
                    done.whenComplete((end, thrown) -> parked.end());
                    return value;
                });
        return brought.merge(parked.events().via(killSwitch.<InFlight<E>>flow()))
                .batch(ADMITTED_AT_ONCE, ProjectionStream::first, ProjectionStream::more)
                .mapAsync(
                        1,
                        events -> admission
                                .admit(events)
                                .thenCompose(admitted ->
                                        saver.takeBack(slices(events)).thenApply(stored -> admitted)))
                .flatMapConcat(missing::before)
                .via(killSwitch.<InFlight<E>>flow())
                .filter(event -> begin(event, mode));
    }

    private InFlight<E> arrived(AdaptedEvent<E> event) {
        InFlight<E> arrived = new InFlight<>(event);
        progress.arrived(arrived);
        return arrived;
    }

    private static <E> Set<Integer> slices(List<InFlight<E>> events) {
        return events.stream().map(event -> event.position().slice()).collect(Collectors.toSet());
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

    private CompletionStage<Source<E, NotUsed>> envelopes(StartedHandler handler) {
        int min = parts.source().minSlice();
        int max = parts.source().maxSlice();
        return parts.source()
                .journal()
                .reads()
                .thenCompose(reads -> outages.runAtStart(() -> parts.table().start(min, max, reads.slicesPerShard()))
                        .thenCompose(stored -> {
                            progress.start(min, max, reads, stored);
                            paused = Optional.of(stored.paused());
                            if (stored.paused()) {
                                LOG.info("Projection {} is paused.", id.id());
                                return CompletableFuture.completedFuture(Source.never());
                            }
                            parked.start(min, max, reads.entityType());
                            return handler.start()
                                    .thenCompose(started ->
                                            parts.settings().parking().isOn()
                                                    ? parked.check()
                                                    : CompletableFuture.<Void>completedFuture(null))
                                    .thenCompose(checked -> parts.source()
                                            .envelopes(OffsetManagement.asOffset(progress.places())
                                                    .withEventOffsets()));
                        }));
    }

    /** Says whether there is something to process; what an adapter drops needs none. */
    private boolean begin(InFlight<E> event, DeliveryMode<E> mode) {
        if (event.isVoid()) {
            progress.setAside(event);
            return false;
        }
        progress.begin(event);
        if (event.envelopes().isEmpty() && !mode.hasProgressInItems()) {
            progress.drop(event);
            return false;
        }
        List<Object> contexts = new ArrayList<>();
        for (E envelope : event.envelopes()) {
            observers.beforeProcess(id, envelope);
            contexts.add(observers.beforeProcess(envelope, parts.source().creationTime(envelope)));
        }
        event.setContexts(contexts);
        return true;
    }

    private Delivery<E> delivery(boolean isExactlyOnce) {
        ProgressObservers told = ProgressObservers.get(system);
        EntityParking parking = new EntityParking(
                id, parts.table(), progress, parts.settings().parking(), told, outages, parked::parked);
        return new StreamDelivery<>(
                id,
                parts.source(),
                progress,
                observers,
                recovery,
                new ProgressStore<>(progress, new Transactions<>(id.id(), parts.table(), progress), saver, outages),
                parking,
                isExactlyOnce);
    }

    private Cancellable flushing() {
        return system.scheduler()
                .scheduleWithFixedDelay(
                        parts.settings().sliceFlushInterval(),
                        parts.settings().sliceFlushInterval(),
                        saver::flush,
                        system.executionContext());
    }

    private Cancellable watching() {
        return system.scheduler()
                .scheduleWithFixedDelay(
                        parts.settings().parking().checkInterval(),
                        parts.settings().parking().checkInterval(),
                        parked::checkKnown,
                        system.executionContext());
    }

    /** Nothing begins any more; completes when what has begun is over. */
    private CompletionStage<?> settled() {
        stop.stop();
        return recovery.settled().thenCompose(done -> saver.saved());
    }

    private CompletionStage<Done> ended(Optional<Throwable> failure) {
        Optional<Throwable> cause = failure.map(Causes::unwrap).filter(thrown -> !Abort.TYPE.isInstance(thrown));
        cause.ifPresent(observers::failed);
        observers.stopped();
        cause.ifPresent(thrown -> observers.failed(id, thrown));
        observers.stopped(id);
        return cause.<CompletionStage<Done>>map(CompletableFuture::failedFuture)
                .orElseGet(() -> CompletableFuture.completedFuture(Done.getInstance()));
    }

    /** Whether the projection was paused when this stream has started; absent before that. */
    Optional<Boolean> paused() {
        return paused;
    }

    /** The offset that is stored, as far as this stream knows; absent before it has started. */
    Optional<SliceOffsets> stored() {
        return paused.map(known -> OffsetManagement.asOffset(progress.stored()));
    }
}
