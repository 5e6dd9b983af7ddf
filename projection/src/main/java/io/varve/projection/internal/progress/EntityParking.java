package io.varve.projection.internal.progress;

import io.varve.projection.ProgressObserver;
import io.varve.projection.internal.event.Position;
import io.varve.projection.internal.retry.OutageRetries;
import io.varve.projection.internal.retry.ProgressChangedException;
import io.varve.projection.internal.settings.OffsetStoreSettings;
import io.varve.store.VarveException;
import io.varve.store.internal.offset.Advance;
import io.varve.store.internal.offset.LastProcessed;
import io.varve.store.internal.offset.OffsetTable;
import io.varve.store.internal.offset.ParkedRow;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.apache.pekko.Done;
import org.apache.pekko.projection.ProjectionId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sets entities aside for whose events the handler has failed for good, however long it takes to store that. */
public final class EntityParking {
    private static final Logger LOG = LoggerFactory.getLogger(EntityParking.class);

    private final ProjectionId id;
    private final OffsetTable table;
    private final StreamProgress progress;
    private final OffsetStoreSettings.Parking settings;
    private final ProgressObserver observers;
    private final OutageRetries outages;
    private final Consumer<String> parked;

    /** @param parked hears of each entity that is set aside */
    public EntityParking(
            ProjectionId id,
            OffsetTable table,
            StreamProgress progress,
            OffsetStoreSettings.Parking settings,
            ProgressObserver observers,
            OutageRetries outages,
            Consumer<String> parked) {
        this.id = id;
        this.table = table;
        this.progress = progress;
        this.settings = settings;
        this.observers = observers;
        this.outages = outages;
        this.parked = parked;
    }

    /** Whether entities are set aside at all. */
    public boolean isOn() {
        return settings.isOn();
    }

    /**
     * Sets the entity of an event aside, which the handler has failed for. Fails if too many are, or if somebody else has processed
     * the event: then the stream must begin anew, because events after it were left alone.
     *
     * @param fenced whether the entity's events are stored in transactions
     */
    public CompletionStage<Done> park(InFlight<?> event, boolean fenced) {
        Throwable cause = event.failure().orElseThrow();
        LastProcessed at = event.position().asProcessed();
        Advance advance = new Advance(at, at, event.cause());
        return outages.run(() -> table.parked().list())
                .thenCompose(listed -> {
                    check(listed, event.position(), cause);
                    return outages.run(() -> table.parked().park(advance, reason(cause), fenced, progress.sets()));
                })
                .thenCompose(done -> done ? CompletableFuture.completedFuture(null) : changed(event.position()))
                .thenApply(done -> {
                    progress.parked(event);
                    told(event.position(), cause);
                    return Done.getInstance();
                });
    }

    private void check(List<ParkedRow> listed, Position position, Throwable cause) {
        boolean isListed = listed.stream().anyMatch(row -> row.persistenceId().equals(position.persistenceId()));
        if (!isListed && listed.size() >= settings.maxParked()) {
            throw new VarveException(
                    id.id() + ": the handler failed for " + position + ", and " + listed.size()
                            + " entities are parked already (park.max-parked = " + settings.maxParked()
                            + "), so that the projection fails. Mend the handler, and retry, skip or give up the parked ones: "
                            + cause,
                    cause);
        }
    }

    private static String reason(Throwable cause) {
        return cause.getMessage() == null
                ? cause.getClass().getName()
                : cause.getClass().getName() + ": " + cause.getMessage();
    }

    /** Says so if the offset was set, else that the progress is another one. */
    private CompletionStage<Void> changed(Position position) {
        return outages.run(() -> table.load(Set.of(position.persistenceId()), progress.sets()))
                .thenCompose(row -> CompletableFuture.failedFuture(new ProgressChangedException(
                        "The progress of " + position + " was changed by somebody else while it was being parked.")));
    }

    private void told(Position position, Throwable cause) {
        LOG.warn(
                "{}: the handler failed for {}. The entity is parked: its events wait until somebody has it retried, skips the"
                        + " event or gives up (ParkedEntities); all others go on.",
                id.id(),
                position,
                cause);
        parked.accept(position.persistenceId());
        observers.parked(id, position.persistenceId(), position.sequenceNumber(), cause);
    }
}
