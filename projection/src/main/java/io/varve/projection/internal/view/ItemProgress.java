package io.varve.projection.internal.view;

import io.varve.projection.internal.admission.LastProcessedEvents;
import io.varve.projection.internal.delivery.ItemDelivery;
import io.varve.projection.internal.event.EntityTimes;
import io.varve.projection.internal.retry.ProgressChangedException;
import io.varve.projection.internal.view.KnownItems.Known;
import io.varve.store.Slices;
import io.varve.store.internal.layout.EventId;
import io.varve.store.internal.offset.Fence;
import io.varve.store.internal.offset.FencedItem;
import io.varve.store.internal.offset.FencedItems;
import io.varve.store.internal.offset.LastProcessed;
import io.varve.store.internal.offset.OffsetTable;
import io.varve.store.internal.offset.SetOffset;
import io.varve.store.internal.offset.SetOffsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * Knows which events the items of entities reflect.
 *
 * <p>An item that was written before somebody has set the offset back, and reflects events from there on, does not count: its events are
 * applied again, from the first one on, because nobody can take single events out of a state. If the journal does not hold the first one
 * any more, that would lose what it has done; then the item stays as it is. Events are deleted at any time, and are found for a while
 * after that, so that what counts is whether the journal still replays the first one after all of them were read.
 */
public final class ItemProgress<S> implements LastProcessedEvents {
    private static final Logger LOG = LoggerFactory.getLogger(ItemProgress.class);

    private final String projection;
    private final FencedItems items;
    private final Function<String, Map<String, AttributeValue>> keys;
    private final ItemModel<?, S> model;
    private final OffsetTable offsets;
    private final EntityTimes journal;
    private final KnownItems<S> known;

    /** @param mostKnown how many items are kept in memory */
    public ItemProgress(
            String projection,
            FencedItems items,
            Function<String, Map<String, AttributeValue>> keys,
            ItemModel<?, S> model,
            OffsetTable offsets,
            EntityTimes journal,
            int mostKnown) {
        this.projection = projection;
        this.items = items;
        this.keys = keys;
        this.model = model;
        this.offsets = offsets;
        this.journal = journal;
        this.known = new KnownItems<>(mostKnown);
    }

    FencedItems items() {
        return items;
    }

    Map<String, AttributeValue> key(String persistenceId) {
        return keys.apply(persistenceId);
    }

    @Override
    public CompletionStage<Loaded> load(Collection<String> persistenceIds, SetOffsets sets) {
        return read(persistenceIds, sets).thenApply(found -> {
            Map<String, LastProcessed> last = new HashMap<>();
            Set<String> again = new HashSet<>();
            found.forEach((persistenceId, item) -> {
                last(persistenceId, item, sets).ifPresent(event -> last.put(persistenceId, event));
                if (isMadeAnew(item)) {
                    again.add(persistenceId);
                }
            });
            return new Loaded(last, again);
        });
    }

    private static boolean isMadeAnew(Known<?> item) {
        return !item.counts() || item.stored().filter(Fence::unfinished).isPresent();
    }

    /** What an item reflects, or what somebody has said that it counts as processed. */
    private static Optional<LastProcessed> last(String persistenceId, Known<?> item, SetOffsets sets) {
        SetOffset set = sets.of(Slices.of(persistenceId));
        boolean isSeen = item.timestamp() < set.timestamp() && set.seen().containsKey(persistenceId);
        if (isSeen && !isMadeAnew(item)) {
            return Optional.of(new LastProcessed(
                    persistenceId, Objects.requireNonNull(set.seen().get(persistenceId)), set.timestamp()));
        }
        return item.counts() ? item.stored().map(Fence::reflects) : Optional.empty();
    }

    /**
     * The item of an entity: as it was used last, or else as it is read.
     *
     * @param standing what its events were let in by: it must not reflect less, nor have to be made anew since
     */
    CompletionStage<Known<S>> item(String persistenceId, SetOffsets sets, ItemDelivery.Standing standing) {
        return known.find(persistenceId)
                .<CompletionStage<Known<S>>>map(CompletableFuture::completedFuture)
                .orElseGet(() -> read(Set.of(persistenceId), sets).thenApply(read -> {
                    Known<S> now = Objects.requireNonNull(read.get(persistenceId));
                    long reflects = last(persistenceId, now, sets)
                            .map(LastProcessed::timestamp)
                            .orElse(0L);
                    boolean isAsLetIn = now.counts() || standing.again();
                    if (reflects < standing.storedTo() || !isAsLetIn) {
                        throw changed(persistenceId);
                    }
                    return now;
                }));
    }

    /** An item reflects less than it did. */
    ProgressChangedException changed(String persistenceId) {
        known.forget(persistenceId);
        return new ProgressChangedException("The item of '" + persistenceId + "' in table '" + items.table()
                + "' was changed or deleted by somebody else, and no longer reflects"
                + " what it did. The projection starts again from what it reflects now.");
    }

    /** An item is to be made anew, and its new state is not stored yet. */
    void made(String persistenceId, Known<S> item) {
        known.put(persistenceId, item);
    }

    /** Whether an item may be replaced by one that was made anew. If not, it counts from now on as it is stored. */
    CompletionStage<Boolean> mayReplace(String persistenceId, Known<S> item, SetOffsets sets) {
        boolean losesSomething = item.isOverwritten()
                && item.stored()
                        .filter(fence -> isTakenBack(fence, sets.of(Slices.of(persistenceId))))
                        .isPresent();
        return losesSomething
                ? journal.holdsFirstEvent(persistenceId)
                        .thenCompose(held -> held
                                ? CompletableFuture.completedFuture(true)
                                : keep(persistenceId, item).thenApply(kept -> false))
                : CompletableFuture.completedFuture(true);
    }

    private CompletionStage<Void> keep(String persistenceId, Known<S> item) {
        known.forget(persistenceId);
        staysAsItIs(persistenceId);
        return items.read(Map.of(persistenceId, keys.apply(persistenceId))).thenAccept(found -> {
            FencedItem now = Objects.requireNonNull(found.get(persistenceId));
            if (now.fence().equals(item.stored())) {
                known.put(persistenceId, known(now, true));
            }
        });
    }

    private CompletionStage<Map<String, Known<S>>> read(Collection<String> persistenceIds, SetOffsets sets) {
        return items.read(persistenceIds.stream().collect(Collectors.toMap(entity -> entity, keys)))
                .thenCompose(found -> learned(found, sets));
    }

    /** What items are now. Fails with {@code OffsetWasSetException} if somebody has set the offset since the start. */
    CompletionStage<Map<String, Known<S>>> learned(Map<String, FencedItem> found, SetOffsets sets) {
        Map<Integer, Long> newer = new HashMap<>();
        Set<String> takenBack = new HashSet<>();
        found.forEach((persistenceId, item) -> item.fence().ifPresent(fence -> {
            int slice = Slices.of(persistenceId);
            if (fence.epoch() > sets.of(slice).epoch()) {
                newer.merge(slice, fence.epoch(), Math::max);
            } else if (isTakenBack(fence, sets.of(slice))) {
                takenBack.add(persistenceId);
            }
        }));
        return newer.isEmpty()
                ? withFirstEvents(takenBack).thenApply(again -> remembered(found, again))
                : offsets.wasSet(newer);
    }

    /** Whether somebody has set the offset back, and the item reflects events from there on; or was emptied after that. */
    private static boolean isTakenBack(Fence fence, SetOffset set) {
        LastProcessed last = fence.reflects();
        boolean emptied = last.sequenceNumber() == 0;
        boolean isAfter = last.timestamp() > set.timestamp()
                || (last.timestamp() == set.timestamp()
                        && last.sequenceNumber() > set.seen().getOrDefault(last.persistenceId(), 0L));
        return emptied || (isAfter && fence.epoch() < set.epoch());
    }

    /** Those of some entities whose first events the journal still holds. */
    private CompletionStage<Set<String>> withFirstEvents(Set<String> persistenceIds) {
        if (persistenceIds.isEmpty()) {
            return CompletableFuture.completedFuture(Set.of());
        }
        return journal.timestampsOf(persistenceIds.stream()
                        .map(persistenceId -> new EventId(persistenceId, 1))
                        .toList())
                .thenApply(times -> {
                    Set<String> held =
                            times.keySet().stream().map(EventId::persistenceId).collect(Collectors.toSet());
                    persistenceIds.stream()
                            .filter(entity -> !held.contains(entity))
                            .forEach(this::staysAsItIs);
                    return held;
                });
    }

    private void staysAsItIs(String persistenceId) {
        LOG.warn(
                "{}: the offset was set to before what the item of '{}' in table '{}' reflects, but the journal does not hold its"
                        + " first event any more. The item stays as it is.",
                projection,
                persistenceId,
                items.table());
    }

    private Map<String, Known<S>> remembered(Map<String, FencedItem> found, Set<String> again) {
        Map<String, Known<S>> all = new HashMap<>();
        found.forEach((persistenceId, item) -> {
            Known<S> now = known(item, !again.contains(persistenceId));
            known.put(persistenceId, now);
            all.put(persistenceId, now);
        });
        return all;
    }

    private Known<S> known(FencedItem item, boolean counts) {
        boolean isThere = item.fence().filter(fence -> !fence.removed()).isPresent();
        S state = model.empty();
        Optional<Throwable> unreadable = Optional.empty();
        if (isThere && counts) {
            try {
                state = model.decode(item.attributes());
            } catch (RuntimeException | LinkageError | AssertionError e) {
                unreadable = Optional.of(e);
            }
        }
        return new Known<>(
                item.fence(),
                counts,
                state,
                isThere && !counts ? model.tryToDecode(item.attributes()) : Optional.empty(),
                Optional.empty(),
                unreadable);
    }

    /** An item was written. */
    void written(Fence fence, S state) {
        known.put(
                fence.reflects().persistenceId(),
                new Known<>(
                        Optional.of(fence),
                        fence.reflects().sequenceNumber() > 0,
                        state,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty()));
    }

    /** An item is not what it was. */
    void forget(String persistenceId) {
        known.forget(persistenceId);
    }
}
