package io.varve.projection.internal.stream;

import io.varve.persistence.internal.plugin.Futures;
import io.varve.persistence.internal.plugin.PluginClients;
import io.varve.projection.DynamoDBProjectionSettings;
import io.varve.projection.internal.delivery.DeliveryModes;
import io.varve.projection.internal.event.EntityEvents;
import io.varve.projection.internal.progress.OffsetManagement;
import io.varve.projection.internal.settings.OffsetStoreSettings;
import io.varve.projection.internal.settings.ProjectionOptions;
import io.varve.store.internal.offset.OffsetSettings;
import io.varve.store.internal.offset.OffsetTable;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.projection.BySlicesSourceProvider;
import org.apache.pekko.projection.HandlerRecoveryStrategy;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.RunningProjection;
import org.apache.pekko.projection.StatusObserver;
import org.apache.pekko.projection.internal.ActorHandlerInit;
import org.apache.pekko.projection.internal.InternalProjection;
import org.apache.pekko.projection.internal.NoopStatusObserver;
import org.apache.pekko.projection.internal.OffsetStrategy;
import org.apache.pekko.projection.internal.ProjectionSettings;
import org.apache.pekko.projection.javadsl.AtLeastOnceFlowProjection;
import org.apache.pekko.projection.javadsl.AtLeastOnceProjection;
import org.apache.pekko.projection.javadsl.ExactlyOnceProjection;
import org.apache.pekko.projection.javadsl.GroupedProjection;
import org.apache.pekko.projection.javadsl.SourceProvider;
import org.apache.pekko.stream.RestartSettings;
import org.apache.pekko.stream.javadsl.Source;
import scala.Option;
import scala.concurrent.Future;
import scala.concurrent.duration.FiniteDuration;
import scala.jdk.javaapi.DurationConverters;

/** A projection of any flavour; the factories show of it what each has. Immutable. */
public final class ProjectionImpl<E>
        implements ExactlyOnceProjection<Offset, E>,
                AtLeastOnceProjection<Offset, E>,
                AtLeastOnceFlowProjection<Offset, E>,
                GroupedProjection<Offset, E>,
                InternalProjection {
    private final ProjectionId id;
    private final SourceProvider<Offset, E> provider;
    private final BySlicesSourceProvider slices;
    private final DeliveryModes<E> flavours;
    private final OffsetStrategy strategy;
    private final OffsetStoreSettings settings;
    private final OffsetTable table;
    private final Choices<E> choices;

    /** What the {@code with} methods change. */
    private record Choices<E>(RestartSettings restart, ProjectionOptions options, StatusObserver<E> observer) {}

    private ProjectionImpl(
            ProjectionId id,
            SourceProvider<Offset, E> provider,
            BySlicesSourceProvider slices,
            DeliveryModes<E> flavours,
            OffsetStrategy strategy,
            OffsetStoreSettings settings,
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

    public static <E> ProjectionImpl<E> create(
            ProjectionId id,
            SourceProvider<Offset, E> provider,
            DeliveryModes<E> flavours,
            OffsetStrategy strategy,
            DynamoDBProjectionSettings settings,
            ActorSystem<?> system) {
        if (!(provider instanceof BySlicesSourceProvider slices)) {
            throw new IllegalArgumentException("The source of projection " + id.id() + " is a "
                    + provider.getClass().getName() + ", which is not by slices: use"
                    + " DynamoDBSourceProvider.eventsBySlices, or EventSourcedProvider.eventsBySlices of Pekko.");
        }
        OffsetStoreSettings values = OffsetStoreSettings.from(settings.config(), settings.path());
        EntityEvents<E> journal = EntityEvents.of(provider);
        PluginClients clients = PluginClients.get(system);
        OffsetTable table = new OffsetTable(
                clients.connect(settings.config(), settings.path(), UnaryOperator.identity(), system.executionContext())
                        .gateway(),
                values.table(),
                id.name(),
                new OffsetSettings(
                        () -> journal.reads().thenApply(EntityEvents.Reads::entityType),
                        values.timeToLive().of(id.name()),
                        values.acceptResetAfter()),
                clients.clock());
        ProjectionSettings pekko = ProjectionSettings.apply(system);
        ProjectionOptions options = new ProjectionOptions(
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
                values,
                table,
                new Choices<>(pekko.restartBackoff(), options, NoopStatusObserver.getInstance()));
    }

    private ProjectionImpl<E> with(Choices<E> other) {
        return new ProjectionImpl<>(id, provider, slices, flavours, strategy, settings, table, other);
    }

    private ProjectionImpl<E> with(ProjectionOptions options) {
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
        DeliveryModes.Run<E> run = flavours.run(system);
        Source<Done, CompletionStage<Done>> source =
                incarnation(run, system).source(CompletableFuture.completedFuture(Done.getInstance()));
        return source.mapMaterializedValue(
                        done -> Futures.<Done>toScala(done.whenComplete((end, thrown) -> run.close())))
                .asScala();
    }

    private ProjectionStream<E> incarnation(DeliveryModes.Run<E> run, ActorSystem<?> system) {
        return new ProjectionStream<>(
                id, provider, run, table, settings, choices.options(), choices.observer(), system);
    }

    @Override
    public RunningProjection run(ActorSystem<?> system) {
        DeliveryModes.Run<E> run = flavours.run(system);
        return new RestartingProjection<>(
                id,
                run,
                () -> incarnation(run, system),
                choices.restart(),
                new OffsetManagement(id, slices.minSlice(), slices.maxSlice(), table, EntityEvents.of(provider)),
                system);
    }
}
