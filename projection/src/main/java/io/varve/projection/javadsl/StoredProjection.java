package io.varve.projection.javadsl;

import io.varve.persistence.internal.plugin.PluginClients;
import io.varve.persistence.query.javadsl.DynamoDBReadJournal;
import io.varve.projection.DynamoDBProjectionSettings;
import io.varve.projection.ProjectionLag;
import io.varve.projection.internal.event.Position;
import io.varve.projection.internal.settings.OffsetStoreSettings;
import io.varve.projection.internal.status.CatchUp;
import io.varve.projection.internal.status.LagReader;
import io.varve.projection.internal.status.ProjectionHistory;
import io.varve.projection.internal.status.StatusSettings;
import io.varve.store.SliceRange;
import io.varve.store.internal.offset.OffsetSettings;
import io.varve.store.internal.offset.OffsetTable;
import io.varve.store.internal.slice.SliceBacklog;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.persistence.query.PersistenceQuery;
import org.apache.pekko.persistence.query.typed.EventEnvelope;

/** A projection as its rows in the offset table show it: on any node, whether it runs or not. */
public final class StoredProjection {
    private final String name;
    private final DynamoDBReadJournal journal;
    private final String entityType;
    private final OffsetTable table;
    private final LagReader lag;
    private final CatchUp catchUp;
    private final ProjectionHistory processed;

    private StoredProjection(
            String name,
            DynamoDBReadJournal journal,
            String entityType,
            OffsetTable table,
            LagReader lag,
            CatchUp catchUp,
            ProjectionHistory processed) {
        this.name = name;
        this.journal = journal;
        this.entityType = entityType;
        this.table = table;
        this.lag = lag;
        this.catchUp = catchUp;
        this.processed = processed;
    }

    /** The projection of that name, of events of the default journal, with the default settings. */
    public static StoredProjection of(ActorSystem<?> system, String projectionName, String entityType) {
        return of(
                system,
                DynamoDBProjectionSettings.create(system),
                DynamoDBReadJournal.Identifier(),
                projectionName,
                entityType);
    }

    /** The projection of that name, with these settings, of events of the journal that a read journal's section names. */
    public static StoredProjection of(
            ActorSystem<?> system,
            DynamoDBProjectionSettings settings,
            String readJournalPluginId,
            String projectionName,
            String entityType) {
        DynamoDBReadJournal journal =
                PersistenceQuery.get(system).getReadJournalFor(DynamoDBReadJournal.class, readJournalPluginId);
        OffsetStoreSettings values = OffsetStoreSettings.from(settings.config(), settings.path());
        StatusSettings status = StatusSettings.from(settings.config(), settings.path());
        PluginClients clients = PluginClients.get(system);
        InstantSource clock = clients.clock();
        OffsetTable table = new OffsetTable(
                clients.connect(settings.config(), settings.path(), UnaryOperator.identity(), system.executionContext())
                        .gateway(),
                values.table(),
                projectionName,
                new OffsetSettings(
                        () -> CompletableFuture.completedFuture(Optional.of(entityType)),
                        values.timeToLive().of(projectionName),
                        values.acceptResetAfter()),
                clock);
        Supplier<CompletionStage<SliceBacklog>> index = journal::backlog;
        return new StoredProjection(
                projectionName,
                journal,
                entityType,
                table,
                new LagReader(table, index, entityType, clock),
                new CatchUp(
                        projectionName,
                        table,
                        index,
                        entityType,
                        journal.reads(entityType).window(),
                        clock,
                        system),
                new ProjectionHistory(
                        projectionName,
                        table,
                        ProjectionHistory.Rules.of(projectionName, status, values),
                        clock,
                        system));
    }

    /** The name of the projection. */
    public String name() {
        return name;
    }

    /**
     * How far each instance is behind, if so many share the slices. It looks at up to 100 events of each shard of the slice index,
     * so that a projection that is further behind is "at least" so far.
     */
    public CompletionStage<List<ProjectionLag>> lag(int numberOfInstances) {
        return lag.lag(journal.sliceRanges(numberOfInstances).stream()
                .map(range -> new SliceRange(entityType, range.first(), range.second()))
                .toList());
    }

    /**
     * Completes when all events are processed, and that is stored, that the slice index holds now; fails with a {@link
     * java.util.concurrent.TimeoutException} otherwise. An event whose entry in the index comes later than those of events after
     * it is not waited for.
     */
    public CompletionStage<Done> whenCaughtUp(Duration timeout) {
        return catchUp.done(timeout);
    }

    /**
     * Whether this projection has processed an event: for the handler of the one that replaces it, so that what must happen once
     * is done by one of the two. True as soon as it has. False when it is paused and has not, so that the event is left to the
     * one that asks. Until one of them is sure the answer is not given; after {@code replaced-projection.wait-timeout} it fails
     * with a {@link java.util.concurrent.TimeoutException}.
     */
    public CompletionStage<Boolean> hasProcessed(EventEnvelope<?> envelope) {
        return processed.contain(Position.of(envelope));
    }

    /**
     * Deletes all rows of this projection, of all entity types. It has to be paused in all slices, or nothing is deleted, and must not be started
     * again: it would begin at the first event. If it fails half-way, doing it again completes it.
     */
    public CompletionStage<Done> deleteProgress() {
        return table.deleteAll().thenApply(deleted -> Done.getInstance());
    }
}
