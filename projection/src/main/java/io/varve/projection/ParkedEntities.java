package io.varve.projection;

import io.varve.persistence.internal.plugin.PluginClients;
import io.varve.projection.internal.reached.RunningInstance;
import io.varve.projection.internal.reached.RunningInstances;
import io.varve.projection.internal.settings.OffsetStoreSettings;
import io.varve.store.Slices;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.layout.Microseconds;
import io.varve.store.internal.offset.OffsetSettings;
import io.varve.store.internal.offset.ParkedRow;
import io.varve.store.internal.offset.ParkedRows;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorSystem;

/**
 * The entities that projections have set aside ({@code on-failure = park}), and what to do about them, from any node.
 *
 * <p>An order is stored, and carried out by the instance that processes the entity: at once if it runs on this node, else within
 * {@code park.check-interval}, or when it starts. Each names the event at which the entity is parked, and fails
 * with {@link NotParkedException} if it is not, or not any more.
 */
public final class ParkedEntities {
    private final ActorSystem<?> system;
    private final Function<String, ParkedRows> rows;

    private ParkedEntities(ActorSystem<?> system, Function<String, ParkedRows> rows) {
        this.system = system;
        this.rows = rows;
    }

    /** Of projections with the default settings. Make one for each actor system, and keep it. */
    public static ParkedEntities create(ActorSystem<?> system) {
        return create(system, DynamoDBProjectionSettings.create(system));
    }

    /** Of projections with these settings. */
    public static ParkedEntities create(ActorSystem<?> system, DynamoDBProjectionSettings settings) {
        PluginClients clients = PluginClients.get(system);
        OffsetStoreSettings values = OffsetStoreSettings.from(settings.config(), settings.path());
        Gateway gateway = clients.connect(
                        settings.config(), settings.path(), UnaryOperator.identity(), system.executionContext())
                .gateway();
        return new ParkedEntities(
                system,
                projection -> new ParkedRows(
                        gateway,
                        values.table(),
                        projection,
                        new OffsetSettings(
                                OffsetSettings.DEFAULT.entityType(),
                                values.timeToLive().of(projection),
                                values.acceptResetAfter()),
                        clients.clock()));
    }

    /** All parked entities of a projection. */
    public CompletionStage<List<ParkedEntity>> list(String projection) {
        return rows.apply(projection)
                .list()
                .thenApply(found -> found.stream()
                        .map(row -> new ParkedEntity(
                                projection,
                                row.persistenceId(),
                                row.event().sequenceNumber(),
                                Microseconds.toInstant(row.event().timestamp()),
                                row.at(),
                                row.reason(),
                                state(row.order())))
                        .toList());
    }

    private static ParkedEntity.State state(ParkedRow.Order order) {
        return switch (order) {
            case NONE -> ParkedEntity.State.PARKED;
            case RETRY -> ParkedEntity.State.RETRYING;
            case GIVE_UP -> ParkedEntity.State.GIVING_UP;
        };
    }

    /** Has an entity's events processed from the one on at which it is parked. If the handler fails again, it is parked again. */
    public CompletionStage<Done> retry(String projection, String persistenceId, long sequenceNumber) {
        return ordered(
                projection,
                persistenceId,
                sequenceNumber,
                rows.apply(projection).retry(persistenceId, sequenceNumber));
    }

    /** Leaves out the event at which an entity is parked, and has those after it processed. */
    public CompletionStage<Done> skip(String projection, String persistenceId, long sequenceNumber) {
        return ordered(
                projection,
                persistenceId,
                sequenceNumber,
                rows.apply(projection).skip(persistenceId, sequenceNumber));
    }

    /** Leaves out the event at which an entity is parked, and all after it that are stored when this is carried out. */
    public CompletionStage<Done> giveUp(String projection, String persistenceId, long sequenceNumber) {
        return ordered(
                projection,
                persistenceId,
                sequenceNumber,
                rows.apply(projection).giveUp(persistenceId, sequenceNumber));
    }

    private CompletionStage<Done> ordered(
            String projection, String persistenceId, long sequenceNumber, CompletionStage<Boolean> order) {
        return order.thenApply(isParked -> {
            if (!isParked) {
                throw new NotParkedException("'" + persistenceId + "' is not parked at event " + sequenceNumber
                        + " in projection '" + projection + "', or not any more: look at the list.");
            }
            RunningInstances.get(system)
                    .find(projection, Slices.of(persistenceId))
                    .ifPresent(RunningInstance::checkParked);
            return Done.getInstance();
        });
    }
}
