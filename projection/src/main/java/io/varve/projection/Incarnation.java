package io.varve.projection;

import io.varve.persistence.DynamoDBClients;
import io.varve.persistence.Futures;
import io.varve.persistence.query.SliceOffsets;
import io.varve.store.client.Causes;
import io.varve.store.client.Concurrently;
import io.varve.store.offset.LastProcessed;
import io.varve.store.offset.OffsetTable;
import io.varve.store.offset.SlicePlace;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.Cancellable;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.event.Logging;
import org.apache.pekko.pattern.Patterns;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.TimestampOffset;
import org.apache.pekko.projection.BySlicesSourceProvider;
import org.apache.pekko.projection.HandlerRecoveryStrategy;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.RunningProjection.AbortProjectionException$;
import org.apache.pekko.projection.StatusObserver;
import org.apache.pekko.projection.internal.HandlerRecoveryImpl;
import org.apache.pekko.projection.internal.Telemetry;
import org.apache.pekko.projection.internal.TelemetryProvider;
import org.apache.pekko.projection.javadsl.SourceProvider;
import org.apache.pekko.stream.KillSwitches;
import org.apache.pekko.stream.SharedKillSwitch;
import org.apache.pekko.stream.javadsl.Source;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.concurrent.Promise;
import scala.concurrent.Promise$;

/** A projection from one start to the next stop or failure. */
final class Incarnation<E> {
    private static final Logger LOG = LoggerFactory.getLogger(Incarnation.class);
    /** How many envelopes that wait are judged together, so that their entities' rows are read by one request. */
    private static final int ADMITTED_AT_ONCE = 100;

    private static final int PARALLEL_SAVES = 4;

    private final ProjectionId id;
    private final SourceProvider<Offset, E> provider;
    private final Flavour<E> flavour;
    private final OffsetTable table;
    private final DynamoDBProjectionSettings.Values settings;
    private final Options options;
    private final StatusObserver<E> observer;
    private final ProgressObservers progressObservers;
    private final ActorSystem<?> system;
    private final Telemetry telemetry;
    private final Progress progress;
    private final Admission<E> admission;
    private final Transactions<E> transactions;
    private final HandlerRecoveryImpl<Offset, E> recovery;
    private final SharedKillSwitch killSwitch;
    private final Promise<Done> abort = Promise$.MODULE$.apply();
    private CompletionStage<?> flushing = CompletableFuture.completedFuture(null);

    Incarnation(
            ProjectionId id,
            SourceProvider<Offset, E> provider,
            Flavour<E> flavour,
            OffsetTable table,
            DynamoDBProjectionSettings.Values settings,
            Options options,
            StatusObserver<E> observer,
            ActorSystem<?> system) {
        this.id = id;
        this.provider = provider;
        this.flavour = flavour;
        this.table = table;
        this.settings = settings;
        this.options = options;
        this.observer = observer;
        this.progressObservers = ProgressObservers.get(system);
        this.system = system;
        this.telemetry = TelemetryProvider.start(id, system);
        this.progress = new Progress(settings.timeWindow(), settings.maxEntities(), settings.acceptResetAfter());
        this.admission = new Admission<>(
                id.id(),
                table,
                progress,
                EntityEvents.of(provider),
                settings.replayMissing(),
                settings.timeToLive().of(id.name()),
                DynamoDBClients.get(system).clock());
        this.transactions = new Transactions<>(id.id(), table);
        this.recovery = HandlerRecoveryImpl.apply(
                id,
                options.recoveryStrategy(),
                Logging.getLogger(system.classicSystem(), DynamoDBProjection.class),
                observer,
                telemetry);
        this.killSwitch = KillSwitches.shared(id.id());
    }

    /** Ends the stream when what is under way is done; retries of the handler are given up. */
    void stop() {
        killSwitch.shutdown();
        abort.tryFailure(AbortProjectionException$.MODULE$);
    }

    /** The stream, which processes as it is run. */
    Source<Done, CompletionStage<Done>> source() {
        flavour.renew();
        observer.started(id);
        Source<Passing<E>, NotUsed> admitted = Source.completionStageSource(envelopes())
                .mapMaterializedValue(value -> NotUsed.getInstance())
                .via(killSwitch.<E>flow())
                .batch(ADMITTED_AT_ONCE, Incarnation::first, Incarnation::more)
                .mapAsync(1, admission::admit)
                .flatMapConcat(source -> source)
                .via(killSwitch.<Admission.Admitted<E>>flow())
                .map(this::begin);
        Cancellable flusher = system.scheduler()
                .scheduleWithFixedDelay(
                        settings.sliceFlushInterval(),
                        settings.sliceFlushInterval(),
                        this::flush,
                        system.executionContext());
        return flavour.process(admitted, this)
                .watchTermination((value, done) -> done.handle((end, thrown) -> thrown)
                        .thenCompose(thrown -> {
                            flusher.cancel();
                            return flush().thenCompose(flushed -> flavour.stop())
                                    .handle((stopped, failed) -> ended(thrown == null ? failed : thrown));
                        })
                        .thenCompose(stage -> stage));
    }

    private CompletionStage<Done> ended(@Nullable Throwable thrown) {
        Throwable cause = thrown == null ? null : Causes.unwrap(thrown);
        if (cause == null || cause instanceof AbortProjectionException$) {
            telemetry.stopped();
            observer.stopped(id);
            return CompletableFuture.completedFuture(Done.getInstance());
        }
        telemetry.failed(cause);
        observer.failed(id, cause);
        return CompletableFuture.failedFuture(cause);
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

    private CompletionStage<Source<E, NotUsed>> envelopes() {
        BySlicesSourceProvider slices = (BySlicesSourceProvider) provider;
        return table.read(slices.minSlice(), slices.maxSlice()).thenCompose(stored -> {
            if (stored.paused()) {
                LOG.info("Projection {} is paused.", id.id());
                return CompletableFuture.completedFuture(Source.never());
            }
            progress.start(stored.places());
            return flavour.start()
                    .thenCompose(started -> provider.source(
                            () -> CompletableFuture.completedFuture(Optional.of(offsets(stored.places())))));
        });
    }

    static SliceOffsets offsets(Map<Integer, SlicePlace> places) {
        Map<Integer, TimestampOffset> offsets = new HashMap<>();
        places.forEach((slice, place) -> offsets.put(
                slice, SliceOffsets.timestampOffset(Position.instant(place.timestamp()), Instant.EPOCH, place.seen())));
        return SliceOffsets.of(offsets);
    }

    private Passing<E> begin(Admission.Admitted<E> admitted) {
        observer.beforeProcess(id, admitted.envelope());
        Object external =
                telemetry.beforeProcess(admitted.envelope(), provider.extractCreationTime(admitted.envelope()));
        return new Passing<>(
                admitted.envelope(),
                admitted.position(),
                admitted.replaced(),
                progress.begin(admitted.position()),
                external);
    }

    Transactions<E> transactions() {
        return transactions;
    }

    List<Passing<E>> open(List<Passing<E>> group) {
        return progress.open(group);
    }

    Source<List<Passing<E>>, NotUsed> grouped(Source<Passing<E>, NotUsed> admitted) {
        return admitted.groupedWithin(options.groupSize(), options.groupDuration());
    }

    /** Stores the progress of what was processed, for several envelopes at once. */
    Source<Done, NotUsed> saveAfterwards(Source<Passing<E>, NotUsed> processed) {
        return processed
                .groupedWithin(options.saveSize(), options.saveDuration())
                .mapAsync(1, this::save);
    }

    /** Runs an attempt by the recovery strategy. */
    CompletionStage<Done> recovering(
            List<Passing<E>> group, Supplier<CompletionStage<Done>> attempt, Supplier<CompletionStage<Done>> onSkip) {
        Passing<E> first = group.get(0);
        Passing<E> last = group.get(group.size() - 1);
        return Futures.toJava(recovery.applyRecovery(
                first.envelope(),
                provider.extractOffset(first.envelope()),
                provider.extractOffset(last.envelope()),
                abort.future(),
                () -> Futures.toScala(guarded(attempt)),
                () -> Futures.toScala(guarded(onSkip)),
                system));
    }

    private static CompletionStage<Done> guarded(Supplier<CompletionStage<Done>> attempt) {
        try {
            return attempt.get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** The handler is done with an envelope. */
    Done processed(Passing<E> passing) {
        observer.afterProcess(id, passing.envelope());
        telemetry.afterProcess(passing.external());
        return Done.getInstance();
    }

    Passing<E> processedByFlow(Passing<E> passing) {
        processed(passing);
        return passing;
    }

    /** Envelopes are skipped; their progress is stored with that of others. */
    CompletionStage<Done> skipped() {
        return CompletableFuture.completedFuture(Done.getInstance());
    }

    /** The progress of envelopes is stored. */
    Done stored(List<Passing<E>> group) {
        progress.complete(Progress.tickets(group));
        if (!group.isEmpty()) {
            observer.offsetProgress(id, group.get(group.size() - 1).envelope());
            telemetry.onOffsetStored(group.size());
        }
        return Done.getInstance();
    }

    /** Stores the progress of envelopes after they were processed. */
    CompletionStage<Done> save(List<Passing<E>> group) {
        Map<String, LastProcessed> last = new HashMap<>();
        for (Passing<E> passing : group) {
            last.put(passing.position().persistenceId(), passing.position().asProcessed());
        }
        List<LastProcessed> rows = List.copyOf(last.values());
        List<List<LastProcessed>> batches = new ArrayList<>();
        for (int i = 0; i < rows.size(); i += settings.batchSize()) {
            batches.add(rows.subList(i, Math.min(rows.size(), i + settings.batchSize())));
        }
        return Concurrently.run(batches, PARALLEL_SAVES, batch -> retrying(() -> table.save(batch), 0))
                .thenApply(saved -> stored(group));
    }

    private <T> CompletionStage<T> retrying(Supplier<CompletionStage<T>> action, int retry) {
        DynamoDBProjectionSettings.Retries retries = settings.retries();
        return action.get().exceptionallyCompose(thrown -> {
            if (retry >= retries.max()) {
                return CompletableFuture.failedFuture(Causes.unwrap(thrown));
            }
            Duration pause =
                    new Requests.Pauses(retries.minBackoff(), retries.maxBackoff(), retries.randomFactor()).next(retry);
            LOG.warn(
                    "{}: saving offsets failed and is tried again: {}",
                    id.id(),
                    Causes.unwrap(thrown).getMessage());
            return Patterns.after(pause, system, () -> retrying(action, retry + 1));
        });
    }

    /** Stores the places of slices that have moved; one time after another. */
    private synchronized CompletionStage<?> flush() {
        flushing = flushing.thenCompose(before -> {
            Map<Integer, SlicePlace> changed = progress.takeChanged();
            return changed.isEmpty()
                    ? CompletableFuture.completedFuture(null)
                    : table.save(changed).handle((saved, thrown) -> {
                        if (thrown == null) {
                            changed.forEach((slice, place) -> progressObservers.stored(
                                    id,
                                    slice,
                                    Position.instant(progress.seen(slice)),
                                    Position.instant(place.timestamp())));
                        } else {
                            progress.notStored(changed.keySet());
                            LOG.warn(
                                    "{}: the places of {} slices could not be stored and will be again: {}",
                                    id.id(),
                                    changed.size(),
                                    Causes.unwrap(thrown).getMessage());
                        }
                        return null;
                    });
        });
        return flushing;
    }

    /** What of a projection can be set for it alone. */
    record Options(
            HandlerRecoveryStrategy recoveryStrategy,
            int saveSize,
            Duration saveDuration,
            int groupSize,
            Duration groupDuration) {

        Options withRecoveryStrategy(HandlerRecoveryStrategy other) {
            return new Options(other, saveSize, saveDuration, groupSize, groupDuration);
        }

        Options withSave(int size, Duration duration) {
            return new Options(recoveryStrategy, size, duration, groupSize, groupDuration);
        }

        Options withGroup(int size, Duration duration) {
            return new Options(recoveryStrategy, saveSize, saveDuration, size, duration);
        }
    }

    static String describe(List<? extends Passing<?>> group) {
        Position first = group.get(0).position();
        return group.size() == 1 ? first.toString() : group.size() + " events, the first of which is " + first;
    }
}
