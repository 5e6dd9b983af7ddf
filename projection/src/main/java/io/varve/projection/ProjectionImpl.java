package io.varve.projection;

import io.varve.persistence.DynamoDBClients;
import io.varve.persistence.Futures;
import io.varve.persistence.query.SliceOffsets;
import io.varve.store.client.Causes;
import io.varve.store.layout.Slices;
import io.varve.store.offset.OffsetTable;
import io.varve.store.offset.SlicePlace;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.TimestampOffset;
import org.apache.pekko.projection.BySlicesSourceProvider;
import org.apache.pekko.projection.HandlerRecoveryStrategy;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.RunningProjection;
import org.apache.pekko.projection.RunningProjectionManagement;
import org.apache.pekko.projection.StatusObserver;
import org.apache.pekko.projection.internal.ActorHandlerInit;
import org.apache.pekko.projection.internal.InternalProjection;
import org.apache.pekko.projection.internal.ManagementState;
import org.apache.pekko.projection.internal.NoopStatusObserver;
import org.apache.pekko.projection.internal.OffsetStrategy;
import org.apache.pekko.projection.internal.ProjectionSettings;
import org.apache.pekko.projection.javadsl.AtLeastOnceFlowProjection;
import org.apache.pekko.projection.javadsl.AtLeastOnceProjection;
import org.apache.pekko.projection.javadsl.ExactlyOnceProjection;
import org.apache.pekko.projection.javadsl.GroupedProjection;
import org.apache.pekko.projection.javadsl.SourceProvider;
import org.apache.pekko.stream.KillSwitches;
import org.apache.pekko.stream.RestartSettings;
import org.apache.pekko.stream.SharedKillSwitch;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.jspecify.annotations.Nullable;
import scala.Option;
import scala.concurrent.Future;
import scala.concurrent.duration.FiniteDuration;
import scala.jdk.javaapi.DurationConverters;

/** A projection of any flavour; the factories show of it what each has. Immutable. */
final class ProjectionImpl<E>
        implements ExactlyOnceProjection<Offset, E>,
                AtLeastOnceProjection<Offset, E>,
                AtLeastOnceFlowProjection<Offset, E>,
                GroupedProjection<Offset, E>,
                InternalProjection {
    private final ProjectionId id;
    private final SourceProvider<Offset, E> provider;
    private final BySlicesSourceProvider slices;
    private final Flavours<E> flavours;
    private final OffsetStrategy strategy;
    private final DynamoDBProjectionSettings settings;
    private final OffsetTable table;
    private final Choices<E> choices;

    /** What the {@code with} methods change. */
    private record Choices<E>(RestartSettings restart, Incarnation.Options options, StatusObserver<E> observer) {}

    private ProjectionImpl(
            ProjectionId id,
            SourceProvider<Offset, E> provider,
            BySlicesSourceProvider slices,
            Flavours<E> flavours,
            OffsetStrategy strategy,
            DynamoDBProjectionSettings settings,
            OffsetTable table,
            Choices<E> choices) {
        this.id = id;
        this.provider = provider;
        this.slices = slices;
        this.flavours = flavours;
        this.strategy = strategy;
        this.settings = settings;
        this.table = table;
        this.choices = choices;
    }

    static <E> ProjectionImpl<E> create(
            ProjectionId id,
            SourceProvider<Offset, E> provider,
            Flavours<E> flavours,
            OffsetStrategy strategy,
            DynamoDBProjectionSettings settings,
            ActorSystem<?> system) {
        if (!(provider instanceof BySlicesSourceProvider slices)) {
            throw new IllegalArgumentException("The source of projection " + id.id() + " is a "
                    + provider.getClass().getName() + ", which is not by slices: use"
                    + " DynamoDBSourceProvider.eventsBySlices, or EventSourcedProvider.eventsBySlices of Pekko.");
        }
        EntityEvents.of(provider);
        DynamoDBClients clients = DynamoDBClients.get(system);
        OffsetTable table = new OffsetTable(
                clients.connect(
                                settings.section(),
                                settings.path(),
                                UnaryOperator.identity(),
                                system.executionContext())
                        .gateway(),
                settings.values().table(),
                id.name(),
                settings.values().timeToLive().of(id.name()),
                clients.clock());
        ProjectionSettings pekko = ProjectionSettings.apply(system);
        Incarnation.Options options = new Incarnation.Options(
                pekko.recoveryStrategy(),
                pekko.saveOffsetAfterEnvelopes(),
                DurationConverters.toJava(pekko.saveOffsetAfterDuration()),
                pekko.groupAfterEnvelopes(),
                DurationConverters.toJava(pekko.groupAfterDuration()));
        return new ProjectionImpl<>(
                id,
                provider,
                slices,
                flavours,
                strategy,
                settings,
                table,
                new Choices<>(pekko.restartBackoff(), options, NoopStatusObserver.getInstance()));
    }

    private ProjectionImpl<E> with(Choices<E> other) {
        return new ProjectionImpl<>(id, provider, slices, flavours, strategy, settings, table, other);
    }

    private ProjectionImpl<E> with(Incarnation.Options options) {
        return with(new Choices<>(choices.restart(), options, choices.observer()));
    }

    private ProjectionImpl<E> with(RestartSettings restart) {
        return with(new Choices<>(restart, choices.options(), choices.observer()));
    }

    @Override
    public ProjectionId projectionId() {
        return id;
    }

    @Override
    public OffsetStrategy offsetStrategy() {
        return strategy;
    }

    @Override
    public ProjectionImpl<E> withRestartBackoff(FiniteDuration min, FiniteDuration max, double randomFactor) {
        return with(RestartSettings.apply(min, max, randomFactor));
    }

    @Override
    public ProjectionImpl<E> withRestartBackoff(
            FiniteDuration min, FiniteDuration max, double randomFactor, int maxRestarts) {
        return with(RestartSettings.apply(min, max, randomFactor).withMaxRestarts(maxRestarts, min));
    }

    @Override
    public ProjectionImpl<E> withRestartBackoff(Duration min, Duration max, double randomFactor) {
        return with(RestartSettings.create(min, max, randomFactor));
    }

    @Override
    public ProjectionImpl<E> withRestartBackoff(Duration min, Duration max, double randomFactor, int maxRestarts) {
        return with(RestartSettings.create(min, max, randomFactor).withMaxRestarts(maxRestarts, min));
    }

    @Override
    public StatusObserver<E> statusObserver() {
        return choices.observer();
    }

    @Override
    public ProjectionImpl<E> withStatusObserver(StatusObserver<E> observer) {
        return with(new Choices<>(choices.restart(), choices.options(), observer));
    }

    @Override
    public ProjectionImpl<E> withRecoveryStrategy(HandlerRecoveryStrategy recoveryStrategy) {
        return with(choices.options().withRecoveryStrategy(recoveryStrategy));
    }

    @Override
    public ProjectionImpl<E> withSaveOffset(int afterEnvelopes, Duration afterDuration) {
        return with(choices.options().withSave(afterEnvelopes, afterDuration));
    }

    @Override
    public ProjectionImpl<E> withGroup(int groupAfterEnvelopes, Duration groupAfterDuration) {
        return with(choices.options().withGroup(groupAfterEnvelopes, groupAfterDuration));
    }

    @Override
    public <T> Option<ActorHandlerInit<T>> actorHandlerInit() {
        return Option.empty(); // see HandlerActor
    }

    @Override
    public org.apache.pekko.stream.scaladsl.Source<Done, Future<Done>> mappedSource(ActorSystem<?> system) {
        Flavours.Run<E> run = flavours.run(system);
        Source<Done, CompletionStage<Done>> source =
                incarnation(run, system).source(CompletableFuture.completedFuture(Done.getInstance()));
        return source.mapMaterializedValue(
                        done -> Futures.<Done>toScala(done.whenComplete((end, thrown) -> run.close())))
                .asScala();
    }

    private Incarnation<E> incarnation(Flavours.Run<E> run, ActorSystem<?> system) {
        return new Incarnation<>(
                id, provider, run, table, settings.values(), choices.options(), choices.observer(), system);
    }

    @Override
    public RunningProjection run(ActorSystem<?> system) {
        return new Running(system);
    }

    /** The projection while it runs, through all its incarnations. */
    private final class Running implements RunningProjection, RunningProjectionManagement<Offset> {
        private final Flavours.Run<E> run;
        private final SharedKillSwitch restarting = KillSwitches.shared(id.id());
        private final CompletionStage<Done> done;
        private CompletionStage<Done> ending = CompletableFuture.completedFuture(Done.getInstance());
        private @Nullable Incarnation<E> current;
        private boolean running;
        private boolean stopped;

        Running(ActorSystem<?> system) {
            this.run = flavours.run(system);
            ProjectionSettings pekko = ProjectionSettings.apply(system);
            ProjectionSettings restarts = new ProjectionSettings(
                    choices.restart(),
                    pekko.saveOffsetAfterEnvelopes(),
                    pekko.saveOffsetAfterDuration(),
                    pekko.groupAfterEnvelopes(),
                    pekko.groupAfterDuration(),
                    pekko.recoveryStrategy());
            this.done = RunningProjection.withBackoff(() -> next(system), restarts)
                    .asJava()
                    .via(restarting.<Done>flow())
                    .runWith(Sink.ignore(), system)
                    .handle((end, thrown) -> over().thenCompose(over -> thrown == null
                            ? CompletableFuture.completedFuture(end)
                            : CompletableFuture.<Done>failedFuture(Causes.unwrap(thrown))))
                    .thenCompose(end -> end)
                    .whenComplete((end, thrown) -> run.close());
        }

        private synchronized org.apache.pekko.stream.scaladsl.Source<Done, ?> next(ActorSystem<?> system) {
            if (stopped) {
                return org.apache.pekko.stream.scaladsl.Source.empty();
            }
            try {
                Incarnation<E> next = incarnation(run, system);
                current = next;
                running = false;
                return next.source(over()).mapMaterializedValue(this::ending).asScala();
            } catch (RuntimeException | LinkageError e) {
                return org.apache.pekko.stream.scaladsl.Source.failed(e);
            }
        }

        private synchronized CompletionStage<Done> ending(CompletionStage<Done> end) {
            ending = end;
            running = true;
            return end;
        }

        /** When the last incarnation is over. */
        private synchronized CompletionStage<Done> over() {
            return ending.exceptionally(failed -> Done.getInstance());
        }

        /** Also ends the pause before a restart. */
        @Override
        public Future<Done> stop() {
            synchronized (this) {
                stopped = true;
                if (current != null) {
                    current.stop();
                }
                if (running) {
                    over().thenRun(restarting::shutdown);
                }
            }
            return Futures.toScala(done);
        }

        @Override
        public Future<Option<Offset>> getOffset() {
            return guarded(() -> table.read(slices.minSlice(), slices.maxSlice())
                    .thenApply(stored -> stored.places().isEmpty()
                            ? Option.empty()
                            : Option.apply(Incarnation.offsets(stored.places()))));
        }

        @Override
        public Future<Done> setOffset(Option<Offset> offset) {
            return guarded(() -> (offset.isEmpty()
                            ? table.clear(slices.minSlice(), slices.maxSlice())
                            : table.set(places(offset.get())))
                    .thenApply(set -> Done.getInstance()));
        }

        /** What is thrown must not reach the actor that manages the projection. */
        private static <T> Future<T> guarded(Supplier<CompletionStage<T>> action) {
            try {
                return Futures.toScala(action.get());
            } catch (RuntimeException e) {
                return Futures.toScala(CompletableFuture.failedFuture(e));
            }
        }

        private Map<Integer, SlicePlace> places(Offset offset) {
            Map<Integer, SlicePlace> places = new HashMap<>();
            for (int slice = slices.minSlice(); slice <= slices.maxSlice(); slice++) {
                int number = slice;
                Optional<TimestampOffset> at = offset instanceof SliceOffsets each
                        ? each.offset(slice)
                        : offset instanceof TimestampOffset all ? Optional.of(all) : Optional.empty();
                at.ifPresent(place -> {
                    long timestamp = Position.micros(place.timestamp());
                    Map<String, Long> seen = new HashMap<>(place.getSeen());
                    seen.keySet().removeIf(persistenceId -> Slices.of(persistenceId) != number);
                    places.put(number, new SlicePlace(timestamp, seen, timestamp));
                });
            }
            if (places.isEmpty()) {
                throw new IllegalArgumentException("The offset of projection " + id.id() + " cannot be set to "
                        + offset + ": give a TimestampOffset (Offset.timestamp(instant)) or SliceOffsets of its slices "
                        + slices.minSlice() + ".." + slices.maxSlice() + ".");
            }
            return places;
        }

        @Override
        public Future<Option<ManagementState>> getManagementState() {
            return guarded(() -> table.read(slices.minSlice(), slices.maxSlice())
                    .thenApply(stored -> Option.apply(new ManagementState(stored.paused()))));
        }

        @Override
        public Future<Done> setPaused(boolean paused) {
            return guarded(() -> table.setPaused(slices.minSlice(), slices.maxSlice(), paused)
                    .thenApply(set -> Done.getInstance()));
        }
    }
}
