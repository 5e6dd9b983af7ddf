package io.varve.projection.internal.stream;

import io.varve.persistence.internal.plugin.PluginClients;
import io.varve.projection.DynamoDBProjectionSettings;
import io.varve.projection.internal.delivery.DeliveryModes;
import io.varve.projection.internal.delivery.ProjectionParts;
import io.varve.projection.internal.event.EntityEvents;
import io.varve.projection.internal.event.ProjectionSource;
import io.varve.projection.internal.pekko.ManagedProjection;
import io.varve.projection.internal.pekko.PekkoProjection;
import io.varve.projection.internal.progress.OffsetManagement;
import io.varve.projection.internal.settings.OffsetStoreSettings;
import io.varve.projection.internal.settings.ProjectionOptions;
import io.varve.store.internal.offset.OffsetSettings;
import io.varve.store.internal.offset.OffsetTable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.RunningProjection;
import org.apache.pekko.projection.javadsl.SourceProvider;
import org.apache.pekko.stream.javadsl.Source;

/** Runs a projection: connects what it is made of, and makes its streams. */
public record ProjectionRunner<E>(ProjectionParts<E> parts, DeliveryModes<E> modes)
        implements PekkoProjection.Runner<E> {

    /** Of what the user has given. */
    public static <E> ProjectionRunner<E> create(
            ProjectionId id,
            DynamoDBProjectionSettings settings,
            SourceProvider<Offset, E> provider,
            DeliveryModes<E> modes,
            ActorSystem<?> system) {
        ProjectionSource<E> source = ProjectionSource.of(id, provider);
        OffsetStoreSettings values = OffsetStoreSettings.from(settings.config(), settings.path());
        if (values.parking().isOn() && !source.journal().skipsHoles()) {
            throw new IllegalArgumentException("Projection " + id.id() + " cannot park entities (" + settings.path()
                    + ".on-failure = park) with the source provider "
                    + provider.getClass().getName() + ", which reads events one by one: use"
                    + " DynamoDBSourceProvider.eventsBySlices.");
        }
        PluginClients clients = PluginClients.get(system);
        OffsetTable table = new OffsetTable(
                clients.connect(settings.config(), settings.path(), UnaryOperator.identity(), system.executionContext())
                        .gateway(),
                values.table(),
                id.name(),
                new OffsetSettings(
                        () -> source.journal().reads().thenApply(EntityEvents.Reads::entityType),
                        values.timeToLive().of(id.name()),
                        values.acceptResetAfter()),
                clients.clock());
        return new ProjectionRunner<>(new ProjectionParts<>(source, table, values, clients.clock()), modes);
    }

    @Override
    public Source<Done, CompletionStage<Done>> once(ProjectionOptions<E> options, ActorSystem<?> system) {
        DeliveryModes.Run<E> run = modes.run(options, parts, system);
        return new ProjectionStream<>(options, parts, system)
                .source(run, CompletableFuture.completedFuture(Done.getInstance()))
                .mapMaterializedValue(done -> done.whenComplete((end, thrown) -> run.close()));
    }

    @Override
    public RunningProjection run(ProjectionOptions<E> options, ActorSystem<?> system) {
        return new ManagedProjection(new RestartingProjection<>(
                options,
                modes.run(options, parts, system),
                () -> new ProjectionStream<>(options, parts, system),
                new OffsetManagement(options.id(), parts.source(), parts.table()),
                system));
    }
}
