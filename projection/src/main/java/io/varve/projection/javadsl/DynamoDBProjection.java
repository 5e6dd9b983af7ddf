package io.varve.projection.javadsl;

import io.varve.persistence.internal.plugin.PluginClients;
import io.varve.projection.DynamoDBItemHandler;
import io.varve.projection.DynamoDBProjectionSettings;
import io.varve.projection.DynamoDBTransactHandler;
import io.varve.projection.ItemCodec;
import io.varve.projection.ItemTable;
import io.varve.projection.OnFailure;
import io.varve.projection.ViewHandler;
import io.varve.projection.internal.delivery.DeliveryModes;
import io.varve.projection.internal.pekko.PekkoProjection;
import io.varve.projection.internal.pekko.PekkoSettings;
import io.varve.projection.internal.stream.ProjectionRunner;
import io.varve.projection.internal.view.ItemModes;
import io.varve.store.SettingsException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.ProjectionContext;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.javadsl.AtLeastOnceFlowProjection;
import org.apache.pekko.projection.javadsl.AtLeastOnceProjection;
import org.apache.pekko.projection.javadsl.ExactlyOnceProjection;
import org.apache.pekko.projection.javadsl.GroupedProjection;
import org.apache.pekko.projection.javadsl.Handler;
import org.apache.pekko.projection.javadsl.SourceProvider;
import org.apache.pekko.stream.javadsl.FlowWithContext;

/** Makes projections of events by slices that keep their offsets in DynamoDB. */
public final class DynamoDBProjection {
    private DynamoDBProjection() {}

    /** What the handler returns is stored in one transaction with the offset, envelope by envelope. */
    public static <Envelope> ExactlyOnceProjection<Offset, Envelope> exactlyOnce(
            ProjectionId projectionId,
            Optional<DynamoDBProjectionSettings> settings,
            SourceProvider<Offset, Envelope> sourceProvider,
            Supplier<? extends DynamoDBTransactHandler<Envelope>> handler,
            ActorSystem<?> system) {
        return create(projectionId, used(settings, system), sourceProvider, DeliveryModes.exactlyOnce(handler), system);
    }

    /** The offset is stored some time after the handler is done, so that it must be prepared to see an envelope again. */
    public static <Envelope> AtLeastOnceProjection<Offset, Envelope> atLeastOnce(
            ProjectionId projectionId,
            Optional<DynamoDBProjectionSettings> settings,
            SourceProvider<Offset, Envelope> sourceProvider,
            Supplier<? extends Handler<Envelope>> handler,
            ActorSystem<?> system) {
        return create(projectionId, used(settings, system), sourceProvider, DeliveryModes.atLeastOnce(handler), system);
    }

    /**
     * As {@link #exactlyOnce}, with a transaction for each group of envelopes; one that does not fit into a transaction is halved.
     * A recovery strategy that skips skips the whole group.
     */
    public static <Envelope> GroupedProjection<Offset, Envelope> exactlyOnceGroupedWithin(
            ProjectionId projectionId,
            Optional<DynamoDBProjectionSettings> settings,
            SourceProvider<Offset, Envelope> sourceProvider,
            Supplier<? extends DynamoDBTransactHandler<List<Envelope>>> handler,
            ActorSystem<?> system) {
        return create(
                projectionId,
                used(settings, system),
                sourceProvider,
                DeliveryModes.exactlyOnceGrouped(handler),
                system);
    }

    /**
     * As {@link #atLeastOnce}, with groups of envelopes; the offsets of a group are stored when the handler is done with it. A
     * recovery strategy that skips skips the whole group.
     */
    public static <Envelope> GroupedProjection<Offset, Envelope> atLeastOnceGroupedWithin(
            ProjectionId projectionId,
            Optional<DynamoDBProjectionSettings> settings,
            SourceProvider<Offset, Envelope> sourceProvider,
            Supplier<? extends Handler<List<Envelope>>> handler,
            ActorSystem<?> system) {
        return create(
                projectionId,
                used(settings, system),
                sourceProvider,
                DeliveryModes.atLeastOnceGrouped(handler),
                system);
    }

    /**
     * As {@link #atLeastOnce}, with a flow that emits one {@code Done} for each envelope, in their order. It has no recovery
     * strategy: when the flow fails, the projection is restarted.
     */
    public static <Envelope> AtLeastOnceFlowProjection<Offset, Envelope> atLeastOnceFlow(
            ProjectionId projectionId,
            Optional<DynamoDBProjectionSettings> settings,
            SourceProvider<Offset, Envelope> sourceProvider,
            FlowWithContext<Envelope, ProjectionContext, Done, ProjectionContext, ?> flow,
            ActorSystem<?> system) {
        DynamoDBProjectionSettings used = used(settings, system);
        rejectParking(projectionId, used, "a flow fails as a whole");
        return create(projectionId, used, sourceProvider, DeliveryModes.atLeastOnceFlow(flow), system);
    }

    /**
     * Keeps one item for each entity: a fold of its events, which is stored together with the number of the event that it reflects, in
     * one write for all events of the entity that wait. Different entities run in parallel.
     */
    public static <State, Event> ExactlyOnceProjection<Offset, EventEnvelope<Event>> view(
            ProjectionId projectionId,
            Optional<DynamoDBProjectionSettings> settings,
            SourceProvider<Offset, EventEnvelope<Event>> sourceProvider,
            ItemTable table,
            ItemCodec<State> codec,
            Supplier<? extends ViewHandler<State, Event>> handler,
            ActorSystem<?> system) {
        DynamoDBProjectionSettings used = used(settings, system);
        rejectParking(projectionId, used, "its progress is in the items of the entities");
        return create(
                projectionId,
                used,
                sourceProvider,
                itemModes(table, used, system).view(codec, handler),
                system);
    }

    /**
     * As {@link #exactlyOnce}, for read models that have one item for each entity: the one change that the handler returns for it is
     * stored together with the number of the event, without a transaction. Different entities run in parallel.
     */
    public static <Envelope> ExactlyOnceProjection<Offset, Envelope> exactlyOnceItem(
            ProjectionId projectionId,
            Optional<DynamoDBProjectionSettings> settings,
            SourceProvider<Offset, Envelope> sourceProvider,
            ItemTable table,
            Supplier<? extends DynamoDBItemHandler<Envelope>> handler,
            ActorSystem<?> system) {
        DynamoDBProjectionSettings used = used(settings, system);
        rejectParking(projectionId, used, "its progress is in the items of the entities");
        return create(
                projectionId,
                used,
                sourceProvider,
                itemModes(table, used, system).changes(handler),
                system);
    }

    private static void rejectParking(ProjectionId id, DynamoDBProjectionSettings settings, String why) {
        if (settings.onFailure() == OnFailure.PARK) {
            throw new SettingsException(
                    settings.path() + ".on-failure",
                    "cannot be park for projection " + id.id() + ": " + why
                            + ". Give it settings of its own, with withOnFailure(OnFailure.FAIL)");
        }
    }

    private static ItemModes itemModes(ItemTable table, DynamoDBProjectionSettings settings, ActorSystem<?> system) {
        return new ItemModes(
                table,
                PluginClients.get(system)
                        .connect(
                                settings.config(), settings.path(), UnaryOperator.identity(), system.executionContext())
                        .gateway());
    }

    private static DynamoDBProjectionSettings used(
            Optional<DynamoDBProjectionSettings> settings, ActorSystem<?> system) {
        return settings.orElseGet(() -> DynamoDBProjectionSettings.create(system));
    }

    private static <Envelope> PekkoProjection<Envelope> create(
            ProjectionId projectionId,
            DynamoDBProjectionSettings settings,
            SourceProvider<Offset, Envelope> sourceProvider,
            DeliveryModes<Envelope> modes,
            ActorSystem<?> system) {
        return new PekkoProjection<>(
                ProjectionRunner.create(projectionId, settings, sourceProvider, modes, system),
                PekkoSettings.options(projectionId, system));
    }
}
