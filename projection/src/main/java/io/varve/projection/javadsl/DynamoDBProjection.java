package io.varve.projection.javadsl;

import io.varve.projection.DynamoDBProjectionSettings;
import io.varve.projection.DynamoDBTransactHandler;
import io.varve.projection.internal.delivery.DeliveryModes;
import io.varve.projection.internal.pekko.PekkoProjection;
import io.varve.projection.internal.pekko.PekkoSettings;
import io.varve.projection.internal.stream.ProjectionRunner;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.persistence.query.Offset;
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
        return create(projectionId, settings, sourceProvider, DeliveryModes.exactlyOnce(handler), system);
    }

    /** The offset is stored some time after the handler is done, so that it must be prepared to see an envelope again. */
    public static <Envelope> AtLeastOnceProjection<Offset, Envelope> atLeastOnce(
            ProjectionId projectionId,
            Optional<DynamoDBProjectionSettings> settings,
            SourceProvider<Offset, Envelope> sourceProvider,
            Supplier<? extends Handler<Envelope>> handler,
            ActorSystem<?> system) {
        return create(projectionId, settings, sourceProvider, DeliveryModes.atLeastOnce(handler), system);
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
        return create(projectionId, settings, sourceProvider, DeliveryModes.exactlyOnceGrouped(handler), system);
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
        return create(projectionId, settings, sourceProvider, DeliveryModes.atLeastOnceGrouped(handler), system);
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
        return create(projectionId, settings, sourceProvider, DeliveryModes.atLeastOnceFlow(flow), system);
    }

    private static <Envelope> PekkoProjection<Envelope> create(
            ProjectionId projectionId,
            Optional<DynamoDBProjectionSettings> settings,
            SourceProvider<Offset, Envelope> sourceProvider,
            DeliveryModes<Envelope> modes,
            ActorSystem<?> system) {
        DynamoDBProjectionSettings used = settings.orElseGet(() -> DynamoDBProjectionSettings.create(system));
        return new PekkoProjection<>(
                ProjectionRunner.create(projectionId, used, sourceProvider, modes, system),
                PekkoSettings.options(projectionId, system));
    }
}
