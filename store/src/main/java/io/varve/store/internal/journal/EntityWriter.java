package io.varve.store.internal.journal;

import io.varve.store.Slices;
import io.varve.store.internal.append.AppendRequest;
import io.varve.store.internal.append.AppendResult;
import io.varve.store.internal.append.Appender;
import io.varve.store.internal.append.StoredStep;
import io.varve.store.internal.client.Budget;
import io.varve.store.internal.layout.LastWritten;
import io.varve.store.internal.table.TaggedTypeRegistry;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Appends to an entity: makes its type known to queries by tag, finds the head, and remembers how far it has come. */
final class EntityWriter {
    private final OwnHead heads;
    private final Appender appender;
    private final TaggedTypeRegistry taggedTypes;
    private final EntityMemory entities;

    EntityWriter(OwnHead heads, Appender appender, TaggedTypeRegistry taggedTypes, EntityMemory entities) {
        this.heads = heads;
        this.appender = appender;
        this.taggedTypes = taggedTypes;
        this.entities = entities;
    }

    /**
     * Stores atomic writes of one entity, one after another.
     *
     * @param earlierAppends completes when the appends before this one have ended
     * @param first the time until the first event is sent
     * @param steps gives each request after that its time
     */
    CompletionStage<List<AppendResult>> append(
            List<AppendRequest> writes, CompletionStage<?> earlierAppends, Budget first, Supplier<Budget> steps) {
        if (writes.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        AppendRequest next = writes.get(0);
        return registerType(next.persistenceId(), writes, first)
                .thenCompose(known -> heads.before(next, earlierAppends, first))
                .thenCompose(head -> appender.append(head, writes, steps, acknowledging(next, steps)))
                .whenComplete((results, thrown) -> {
                    if (thrown != null) {
                        entities.failed(next.persistenceId(), next.writer());
                    }
                });
    }

    private StoredStep acknowledging(AppendRequest next, Supplier<Budget> steps) {
        Consumer<LastWritten> moved = entities.writing(next.persistenceId(), next.writer());
        return (before, end) ->
                heads.checkAfter(next.persistenceId(), before, steps).thenRun(() -> moved.accept(end));
    }

    /** A query by tag finds the entity type before it can miss the event. */
    private CompletionStage<Void> registerType(String persistenceId, List<AppendRequest> writes, Budget budget) {
        boolean indexed = appender.table().items().indexShards().isPresent();
        return indexed && writes.stream().anyMatch(AppendRequest::hasTags)
                ? taggedTypes.register(Slices.entityType(persistenceId), budget)
                : CompletableFuture.completedFuture(null);
    }
}
