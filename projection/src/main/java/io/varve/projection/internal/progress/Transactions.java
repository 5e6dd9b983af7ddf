package io.varve.projection.internal.progress;

import io.varve.projection.internal.retry.ProgressChangedException;
import io.varve.store.StoreException;
import io.varve.store.VarveException;
import io.varve.store.internal.async.Causes;
import io.varve.store.internal.client.WriteResult;
import io.varve.store.internal.offset.Advance;
import io.varve.store.internal.offset.LastProcessed;
import io.varve.store.internal.offset.OffsetTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/**
 * Stores what a handler returned together with the progress, all or nothing.
 *
 * <p>The row of an entity is only put if it holds a lower number, and if nobody has set the offset since the start. So of two
 * instances that run at the same time only one can store an event, and a transaction whose answer was lost is not stored twice.
 * Whoever comes second finds that out here.
 */
public final class Transactions<E> {
    private static final Logger LOG = LoggerFactory.getLogger(Transactions.class);
    private static final int MAX_ACTIONS = 100;

    private final String projection;
    private final OffsetTable table;
    private final StreamProgress progress;

    public Transactions(String projection, OffsetTable table, StreamProgress progress) {
        this.projection = projection;
        this.table = table;
        this.progress = progress;
    }

    /**
     * Stores all, and returns nothing; or stores nothing, and returns those of the group that were processed elsewhere. Fails with
     * {@link TransactionRefusedException} if it can never be stored.
     */
    public CompletionStage<List<InFlight<E>>> store(Collection<TransactWriteItem> items, List<InFlight<E>> group) {
        List<Advance> advances = advances(group);
        List<TransactWriteItem> checked = check(items, OffsetTable.actions(advances), group);
        return table.transact(checked, advances, progress.sets())
                .exceptionally(thrown -> {
                    throw refused(Causes.unwrap(thrown), checked, group);
                })
                .thenCompose(result -> result instanceof WriteResult.ConditionFailed failed
                        ? refused(failed, checked, group)
                        : CompletableFuture.completedFuture(List.of()));
    }

    private List<Advance> advances(List<InFlight<E>> group) {
        Map<String, Advance> advances = new LinkedHashMap<>();
        for (InFlight<E> event : group) {
            LastProcessed row = event.position().asProcessed();
            advances.merge(
                    row.persistenceId(),
                    new Advance(row, row, event.cause(), progress.passesOver(row.persistenceId())),
                    (before, next) -> new Advance(next.last(), before.first(), before.cause(), before.passesOver()));
        }
        return List.copyOf(advances.values());
    }

    private List<TransactWriteItem> check(Collection<TransactWriteItem> items, int offsets, List<InFlight<E>> group) {
        for (TransactWriteItem item : items) {
            if (item == null) {
                throw new VarveException("The handler returned a list with a null item for " + InFlight.describe(group)
                        + "; nothing was stored.");
            }
            if (tables(item).anyMatch(table.name()::equals)) {
                throw new VarveException("The handler returned an item of the offset table '" + table.name() + "' for "
                        + InFlight.describe(group)
                        + ", which only the projection may change; nothing was stored.");
            }
        }
        if (items.size() + offsets > MAX_ACTIONS) {
            throw new TransactionRefusedException(
                    "The handler returned " + items.size() + " items for " + InFlight.describe(group)
                            + ", and with "
                            + offsets + " for offsets they are more than the " + MAX_ACTIONS
                            + " that DynamoDB allows in a transaction; nothing was stored.",
                    null);
        }
        return List.copyOf(items);
    }

    private static Stream<String> tables(TransactWriteItem item) {
        List<String> tables = new ArrayList<>();
        if (item.put() != null) {
            tables.add(item.put().tableName());
        }
        if (item.update() != null) {
            tables.add(item.update().tableName());
        }
        if (item.delete() != null) {
            tables.add(item.delete().tableName());
        }
        if (item.conditionCheck() != null) {
            tables.add(item.conditionCheck().tableName());
        }
        return tables.stream();
    }

    private CompletionStage<List<InFlight<E>>> refused(
            WriteResult.ConditionFailed failed, List<TransactWriteItem> items, List<InFlight<E>> group) {
        List<Integer> theirs = failed.existing().keySet().stream()
                .filter(index -> index < items.size())
                .sorted()
                .toList();
        return table.lastStored(
                        group.stream()
                                .map(event -> event.position().persistenceId())
                                .collect(Collectors.toSet()),
                        progress.sets())
                .thenApply(stored -> {
                    List<InFlight<E>> processed = processedElsewhere(stored, group);
                    if (!processed.isEmpty()) {
                        return processed;
                    }
                    if (theirs.isEmpty()) {
                        throw new ProgressChangedException("The progress of " + InFlight.describe(group)
                                + " was changed by somebody else while it was being stored; nothing was stored.");
                    }
                    throw new HandlerConditionException(
                            "The condition of item " + theirs.get(0) + " (of table "
                                    + tables(items.get(theirs.get(0)))
                                            .findFirst()
                                            .orElse("?")
                                    + ") that the handler returned for " + InFlight.describe(group)
                                    + " did not hold; nothing was stored.",
                            theirs);
                });
    }

    /** What DynamoDB does not accept at all, such as two changes of one item, is the handler's doing. */
    private RuntimeException refused(Throwable cause, List<TransactWriteItem> items, List<InFlight<E>> group) {
        if (cause instanceof StoreException store && store.isInvalid()) {
            return new TransactionRefusedException(
                    "The " + items.size() + " items that the handler returned for " + InFlight.describe(group)
                            + " cannot be stored with its progress, and nothing was stored: " + store.getMessage(),
                    store);
        }
        return cause instanceof RuntimeException same ? same : new CompletionException(cause);
    }

    private List<InFlight<E>> processedElsewhere(Map<String, LastProcessed> stored, List<InFlight<E>> group) {
        List<InFlight<E>> processed = group.stream()
                .filter(event -> {
                    LastProcessed last = stored.get(event.position().persistenceId());
                    return last != null
                            && last.sequenceNumber() >= event.position().sequenceNumber()
                            && last.timestamp() >= event.position().timestamp();
                })
                .toList();
        if (!processed.isEmpty()) {
            LOG.warn(
                    "{}: {} was stored before, by an attempt whose answer was lost or by another running instance of"
                            + " this projection; it is not stored twice.",
                    projection,
                    InFlight.describe(processed));
        }
        return processed;
    }
}
