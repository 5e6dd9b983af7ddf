package io.varve.store.internal.snapshot;

import io.varve.store.FailureKind;
import io.varve.store.SnapshotTooLargeException;
import io.varve.store.StoreException;
import io.varve.store.internal.async.Causes;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.client.WriteResult;
import io.varve.store.internal.layout.ItemSize;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.layout.SnapshotKeys;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;
import software.amazon.awssdk.services.dynamodb.model.Put;
import software.amazon.awssdk.services.dynamodb.model.TableDescription;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** The snapshots of one journal-name: save, load the latest, delete. What a snapshot store plugin calls. */
public final class SnapshotStore {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotStore.class);
    /** Up to this size a snapshot is one item in any table, also where the local index holds a copy of it. */
    private static final int FITS_EVERYWHERE = 200_000;

    private final Gateway gateway;
    private final SnapshotStoreSettings settings;
    private final SnapshotItems items;
    private final Parts parts;
    private final PartList list;
    private final InstantSource clock;
    private volatile @Nullable Integer maxItemSize;

    /** A store on a table. */
    public SnapshotStore(Gateway gateway, SnapshotStoreSettings settings, InstantSource clock) {
        SnapshotKeys keys = new SnapshotKeys(settings.journalName());
        this.gateway = gateway;
        this.settings = settings;
        this.items = new SnapshotItems(keys);
        this.parts = new Parts(settings.partSize(), settings.partParallelism());
        this.list = new PartList(settings.table(), keys, clock, gateway.surroundings());
        this.clock = clock;
    }

    /** Saves a snapshot; one of the same sequence number is replaced, and stays as it is if the save fails. */
    public CompletionStage<Void> save(Snapshot snapshot) {
        return save(CompletableFuture.completedFuture(snapshot));
    }

    /** As {@link #save(Snapshot)}, for a snapshot that is still being made: that, too, takes of the operation's time. */
    public CompletionStage<Void> save(CompletionStage<Snapshot> snapshot) {
        SnapshotRequests requests = requests();
        return snapshot.thenCompose(made -> save(requests, made));
    }

    private CompletionStage<Void> save(SnapshotRequests requests, Snapshot snapshot) {
        check(snapshot.persistenceId());
        byte[] bytes = snapshot.payload().bytes().asByteArrayUnsafe();
        byte[] stored = settings.compression().compress(bytes);
        if (stored.length > settings.maxSnapshotSize()) {
            throw SnapshotTooLargeException.toSave(
                    snapshot.persistenceId(), snapshot.sequenceNumber(), stored.length, settings.maxSnapshotSize());
        }
        if (bytes.length > settings.maxLoadedSize()) {
            throw SnapshotTooLargeException.toLoad(
                    snapshot.persistenceId(), snapshot.sequenceNumber(), bytes.length, settings.maxLoadedSize());
        }
        Map<String, AttributeValue> head = items.head(snapshot, settings.compression());
        Map<String, AttributeValue> whole = SnapshotItems.whole(head, stored);
        int size = ItemSize.of(whole);
        CompletionStage<Boolean> fits = size <= Math.min(FITS_EVERYWHERE, settings.maxItemSize())
                ? CompletableFuture.completedFuture(true)
                : maxItemSize(requests).thenApply(limit -> size <= Math.min(limit, settings.maxItemSize()));
        return fits.thenCompose(inOneItem ->
                inOneItem ? requests.put(whole).thenAccept(done -> {}) : saveInParts(requests, snapshot, head, stored));
    }

    /** The entry, the parts, and then the head, if the entry was not doomed meanwhile. */
    private CompletionStage<Void> saveInParts(
            SnapshotRequests requests, Snapshot snapshot, Map<String, AttributeValue> head, byte[] stored) {
        PartList.Entry entry = list.draw(
                snapshot.persistenceId(), snapshot.sequenceNumber(), parts.count(stored.length), requests.left());
        Put putHead = Put.builder()
                .tableName(settings.table())
                .item(SnapshotItems.inParts(head, entry.set(), stored.length))
                .build();
        return list.protecting(
                entry,
                () -> list.open(requests, entry)
                        .thenCompose(opened -> parts.write(requests, entry.set(), stored))
                        .thenCompose(written -> requests.transact(
                                TransactWriteItem.builder().put(putHead).build(),
                                list.confirm(entry, requests.unanswered())))
                        .thenCompose(result -> result instanceof WriteResult.ConditionFailed
                                ? list.giveUp(requests, entry)
                                : list.cleanUpOrLog(requests, snapshot.persistenceId())));
    }

    /**
     * The newest snapshot, by sequence number, that matches. If it cannot be read, because {@code read} fails or the item is
     * damaged, the next older one is tried where {@code olderOnFailure} says so. One without all of its parts is never returned.
     */
    public <T> CompletionStage<Optional<T>> load(
            String persistenceId,
            Criteria criteria,
            boolean olderOnFailure,
            Function<Snapshot, CompletionStage<T>> read) {
        check(persistenceId);
        return criteria.isEmpty()
                ? CompletableFuture.completedFuture(Optional.empty())
                : new Loading<>(
                                requests(),
                                items.keys(),
                                parts,
                                clock,
                                settings.maxLoadedSize(),
                                persistenceId,
                                criteria,
                                olderOnFailure,
                                read)
                        .start();
    }

    /** Deletes one snapshot. */
    public CompletionStage<Void> delete(String persistenceId, long sequenceNumber) {
        return deleting(persistenceId).one(sequenceNumber);
    }

    /** Deletes all snapshots that match. */
    public CompletionStage<Void> delete(String persistenceId, Criteria criteria) {
        return deleting(persistenceId).matching(criteria);
    }

    private Deleting deleting(String persistenceId) {
        check(persistenceId);
        return new Deleting(requests(), items.keys(), list, clock, settings.partParallelism(), persistenceId);
    }

    /** Begins an operation, with the time that it has. */
    private SnapshotRequests requests() {
        return new SnapshotRequests(gateway, settings.table(), gateway.budget());
    }

    private void check(String persistenceId) {
        new JournalKeys(settings.journalName()).check(persistenceId);
    }

    /** The largest item that the table takes, which the copy in its local index counts against; asked for once. */
    private CompletionStage<Integer> maxItemSize(SnapshotRequests requests) {
        Integer known = maxItemSize;
        if (known != null) {
            return CompletableFuture.completedFuture(known);
        }
        return requests.describe().handle((described, thrown) -> {
            if (thrown == null) {
                maxItemSize = copiesSnapshots(described) ? FITS_EVERYWHERE : ItemSize.MAX - 4_000;
            } else if (Causes.unwrap(thrown) instanceof StoreException refused
                    && refused.kind() == FailureKind.REFUSED) {
                maxItemSize = FITS_EVERYWHERE;
                LOG.info(
                        "The snapshot table '{}' may not be described, so snapshots above {} bytes are cut into parts.",
                        settings.table(),
                        FITS_EVERYWHERE);
            }
            Integer found = maxItemSize;
            return found == null ? FITS_EVERYWHERE : found;
        });
    }

    private static boolean copiesSnapshots(TableDescription table) {
        return table.localSecondaryIndexes().stream()
                .anyMatch(index -> index.projection().projectionType() != ProjectionType.KEYS_ONLY);
    }
}
