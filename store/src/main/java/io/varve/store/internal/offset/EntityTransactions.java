package io.varve.store.internal.offset;

import io.varve.store.Slices;
import io.varve.store.internal.async.Concurrently;
import io.varve.store.internal.client.Budget;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.client.WriteResult;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/**
 * Stores the progress of entities in transactions, on condition that nobody has stored more.
 *
 * <p>The row of an entity has the epoch of who has taken it back, so that an instance that was cut off cannot write it. Where there
 * was nothing to take back, what it writes counts; but what it has passed over, because an offset had been set behind it, may not
 * count as processed any more. So where something was passed over, what was set must be what it was.
 */
final class EntityTransactions {
    private static final int RAISED_AT_ONCE = 25;
    private static final int PARALLEL_RAISES = 4;

    private final Gateway gateway;
    private final OffsetRows rows;
    private final SliceRows slices;
    private final OffsetSettings settings;
    private final InstantSource clock;

    EntityTransactions(
            Gateway gateway, OffsetRows rows, SliceRows slices, OffsetSettings settings, InstantSource clock) {
        this.gateway = gateway;
        this.rows = rows;
        this.slices = slices;
        this.settings = settings;
        this.clock = clock;
    }

    /** Stores items with the progress of entities; fails if events were passed over that no longer count as processed. */
    CompletionStage<WriteResult> transact(
            List<TransactWriteItem> items, List<Advance> advances, SetOffsets sets, Budget budget) {
        List<Integer> checked = checked(advances);
        return transact(items, advances, checked, rows::fenced, sets, budget).thenCompose(result -> {
            List<Integer> setSince = failed(checked, items.size() + advances.size(), result);
            return setSince.isEmpty()
                    ? CompletableFuture.completedFuture(result)
                    : CompletableFuture.failedFuture(rows.wasSet(setSince));
        });
    }

    /** How many actions of a transaction the progress of entities takes. */
    static int actions(List<Advance> advances) {
        return advances.size() + checked(advances).size();
    }

    private static List<Integer> checked(List<Advance> advances) {
        return advances.stream()
                .filter(Advance::passesOver)
                .map(advance -> slice(advance.last()))
                .distinct()
                .toList();
    }

    /** Those of the slices that are checked behind so many actions whose check has failed. */
    private static List<Integer> failed(List<Integer> checked, int actions, WriteResult result) {
        return result instanceof WriteResult.ConditionFailed failed
                ? IntStream.range(0, checked.size())
                        .filter(index -> failed.existing().containsKey(actions + index))
                        .mapToObj(checked::get)
                        .toList()
                : List.of();
    }

    /** Makes the row of an entity. */
    interface Row {
        Map<String, AttributeValue> of(LastProcessed last, long epoch, Optional<Instant> expiry);
    }

    /** @param checked slices whose offset nobody may have set since */
    private CompletionStage<WriteResult> transact(
            List<TransactWriteItem> items,
            List<Advance> advances,
            List<Integer> checked,
            Row row,
            SetOffsets sets,
            Budget budget) {
        Instant now = clock.instant();
        List<TransactWriteItem> actions = new ArrayList<>(items);
        for (Advance advance : advances) {
            long epoch = epoch(advance.last(), sets);
            Map<String, AttributeValue> item = row.of(advance.last(), epoch, settings.expiry(now));
            actions.add(TransactWriteItem.builder()
                    .put(rows.put(item, advance, epoch, now, settings.acceptResetAfter()))
                    .build());
        }
        if (checked.isEmpty()) {
            return gateway.transactWriteItems(actions, budget);
        }
        return slices.rows(budget).thenCompose(ours -> {
            checked.forEach(slice -> actions.add(TransactWriteItem.builder()
                    .conditionCheck(ours.notSetSince(slice, sets.of(slice).epoch()))
                    .build()));
            return gateway.transactWriteItems(actions, budget);
        });
    }

    private static int slice(LastProcessed last) {
        return Slices.of(last.persistenceId());
    }

    static long epoch(LastProcessed last, SetOffsets sets) {
        return sets.of(slice(last)).epoch();
    }

    /**
     * Stores the progress of entities, except where more is stored, and where somebody has set the offset again since.
     *
     * @param checked in which slices that is looked at
     */
    CompletionStage<Void> raise(
            Collection<LastProcessed> entities, Row row, IntPredicate checked, SetOffsets sets, Budget budget) {
        List<LastProcessed> all = List.copyOf(entities);
        List<List<LastProcessed>> parts = IntStream.iterate(0, i -> i < all.size(), i -> i + RAISED_AT_ONCE)
                .mapToObj(i -> all.subList(i, Math.min(all.size(), i + RAISED_AT_ONCE)))
                .toList();
        return Concurrently.run(parts, PARALLEL_RAISES, part -> raise(part, row, checked, sets, budget));
    }

    private CompletionStage<Void> raise(
            List<LastProcessed> part, Row row, IntPredicate isChecked, SetOffsets sets, Budget budget) {
        List<Advance> advances = part.stream().map(Advance::of).toList();
        List<Integer> checked = part.stream()
                .map(EntityTransactions::slice)
                .distinct()
                .filter(isChecked::test)
                .toList();
        return transact(List.of(), advances, checked, row, sets, budget).thenCompose(result -> {
            List<Integer> setSince = failed(checked, part.size(), result);
            List<LastProcessed> left = result instanceof WriteResult.ConditionFailed failed
                    ? IntStream.range(0, part.size())
                            .filter(index ->
                                    !failed.existing().containsKey(index) && !setSince.contains(slice(part.get(index))))
                            .mapToObj(part::get)
                            .toList()
                    : List.of();
            return left.isEmpty() ? CompletableFuture.completedFuture(null) : raise(left, row, isChecked, sets, budget);
        });
    }
}
