package io.varve.projection;

import io.varve.persistence.internal.plugin.PluginClients;
import io.varve.projection.internal.reached.ReachedNumbers;
import io.varve.projection.internal.reached.RunningInstances;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.offset.LastProcessed;
import io.varve.store.internal.offset.OffsetSettings;
import io.varve.store.internal.offset.OffsetTable;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.projection.ProjectionId;

/** Tells callers when a projection has processed an event, so that they can read what they have written. */
public final class ProjectionProgress {
    private final ActorSystem<?> system;
    private final Function<String, ReachedNumbers> tables;

    private ProjectionProgress(ActorSystem<?> system, Function<String, ReachedNumbers> tables) {
        this.system = system;
        this.tables = tables;
    }

    /** Of projections with the default settings. Make one for each actor system, and keep it. */
    public static ProjectionProgress create(ActorSystem<?> system) {
        return create(system, DynamoDBProjectionSettings.create(system));
    }

    /** Of projections with these settings. */
    public static ProjectionProgress create(ActorSystem<?> system, DynamoDBProjectionSettings settings) {
        PluginClients clients = PluginClients.get(system);
        Gateway gateway = clients.connect(
                        settings.config(), settings.path(), UnaryOperator.identity(), system.executionContext())
                .gateway();
        return new ProjectionProgress(system, projection -> {
            OffsetTable table = new OffsetTable(
                    gateway, settings.timestampOffsetTable(), projection, OffsetSettings.DEFAULT, clients.clock());
            return persistenceId -> table.lastStored(persistenceId)
                    .thenApply(last -> last.map(LastProcessed::sequenceNumber).orElse(0L));
        });
    }

    /**
     * Completes when a projection has processed an event of an entity, or skipped it. Fails with {@link
     * ProcessingTimeoutException} if that takes longer.
     *
     * <p>If the instance that processes the entity runs on this node, it tells, and mostly nothing is read. Otherwise the entity's
     * row is read, again and again with growing pauses.
     *
     * @param projection the projection's name, which all its instances share
     */
    public CompletionStage<Done> whenProcessed(
            String projection, String persistenceId, long sequenceNumber, Duration timeout) {
        if (sequenceNumber < 1 || timeout.isNegative()) {
            throw new IllegalArgumentException("Event " + sequenceNumber + " of '" + persistenceId
                    + "' cannot be waited for " + timeout
                    + ": sequence numbers begin with 1, and the time must not be negative.");
        }
        return new ProcessedWait(
                        system,
                        RunningInstances.get(system),
                        tables.apply(projection),
                        new ProcessedWait.Event(projection, persistenceId, sequenceNumber))
                .start(timeout);
    }

    /** The same for a projection of which any instance is named: the key of the id says nothing here. */
    public CompletionStage<Done> whenProcessed(
            ProjectionId projectionId, String persistenceId, long sequenceNumber, Duration timeout) {
        return whenProcessed(projectionId.name(), persistenceId, sequenceNumber, timeout);
    }
}
