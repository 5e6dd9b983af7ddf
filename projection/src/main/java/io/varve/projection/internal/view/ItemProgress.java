package io.varve.projection.internal.view;

import io.varve.projection.internal.admission.ProcessedEvents;
import io.varve.projection.internal.event.EntityTimes;
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
 * any more, that would lose what it has done; then the item stays as it is.
 */
public final class ItemProgress<S> implements ProcessedEvents {
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
                if (item.counts()) {
                    last(persistenceId, item, sets).ifPresent(event -> last.put(persistenceId, event));
                } else {
                    again.add(persistenceId);
                }
            });
            return new Loaded(last, again);
        });
    }

    /** What an item reflects, or what somebody has said that it counts as processed. */
    private static <S> Optional<LastProcessed> last(String persistenceId, Known<S> item, SetOffsets sets) {
        SetOffset set = sets.of(Slices.of(persistenceId));
        return item.timestamp() < set.timestamp() && set.seen().containsKey(persistenceId)
                ? Optional.of(new LastProcessed(
                        persistenceId, Objects.requireNonNull(set.seen().get(persistenceId)), set.timestamp()))
                : item.stored().map(Fence::reflects);
    }

    /** The item of an entity: as it was used last, or else as it is read. */
    CompletionStage<Known<S>> item(String persistenceId, SetOffsets sets) {
        return known.find(persistenceId)
                .<CompletionStage<Known<S>>>map(CompletableFuture::completedFuture)
                .orElseGet(() -> read(Set.of(persistenceId), sets)
                        .thenApply(read -> Objects.requireNonNull(read.get(persistenceId))));
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
        return new Known<>(
                item.fence(),
                counts,
                isThere && counts ? model.decode(item.attributes()) : model.empty(),
                isThere && !counts ? model.tryToDecode(item.attributes()) : Optional.empty());
    }

    /** An item was written. */
    void written(Fence fence, S state) {
        known.put(
                fence.reflects().persistenceId(),
                new Known<>(Optional.of(fence), fence.reflects().sequenceNumber() > 0, state, Optional.empty()));
    }

    /** An item is not what it was. */
    void forget(String persistenceId) {
        known.forget(persistenceId);
    }
}
