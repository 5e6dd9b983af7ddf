package io.varve.simulation;

import io.varve.store.StoreObserver;
import io.varve.store.internal.append.AtomicWrites;
import io.varve.store.internal.async.Backoff;
import io.varve.store.internal.async.Surroundings;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.client.GatewaySettings;
import io.varve.store.internal.journal.EventReader;
import io.varve.store.internal.journal.EventStore;
import io.varve.store.internal.journal.EventStoreSettings;
import io.varve.store.internal.layout.ItemSize;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.slice.SliceIndex;
import io.varve.store.internal.snapshot.Compression;
import io.varve.store.internal.snapshot.SnapshotStore;
import io.varve.store.internal.snapshot.SnapshotStoreSettings;
import io.varve.store.internal.table.TaggedTypesReader;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** A node with its stores, as a service has them. */
final class ServiceNode {
    static final String JOURNAL = "journal";
    static final String SNAPSHOTS = "snapshots";
    static final String NAME = "journal";

    private final Node node;
    private final EventStore events;
    private final SnapshotStore snapshots;
    private final EventReader reader;
    private final SliceIndex index;
    private final TaggedTypesReader taggedTypes;
    private final Gateway gateway;
    private final Set<String> typesWithTags = new HashSet<>();

    ServiceNode(World world, Network network, Node node, Shape shape) {
        this.node = node;
        this.gateway = new Gateway(
                network.client(node),
                new GatewaySettings(
                        Duration.ofSeconds(8),
                        Duration.ofSeconds(2),
                        new Backoff(Duration.ofMillis(50), Duration.ofSeconds(1), 0.5),
                        4,
                        Optional.empty()),
                StoreObserver.NONE,
                node,
                node.clock(),
                new OfNode(world, node));
        EventStoreSettings settings = new EventStoreSettings(
                JOURNAL,
                NAME,
                OptionalInt.of(shape.sequenceShards()),
                true,
                shape.indexShards(),
                AtomicWrites.TRANSACTIONAL,
                4,
                ItemSize.MAX,
                10,
                4,
                false,
                Duration.ofSeconds(5));
        JournalKeys keys = new JournalKeys(NAME);
        this.events = new EventStore(gateway, settings, node.clock());
        this.reader = new EventReader(gateway, settings, node.clock());
        this.index = new SliceIndex(gateway, JOURNAL, keys, shape.indexShards());
        this.taggedTypes = new TaggedTypesReader(gateway, JOURNAL, keys);
        this.snapshots = new SnapshotStore(
                gateway,
                new SnapshotStoreSettings(SNAPSHOTS, NAME, Compression.NONE, 10_000_000, 64_000_000, 20_000, 4),
                node.clock());
    }

    Node node() {
        return node;
    }

    EventStore events() {
        return events;
    }

    SnapshotStore snapshots() {
        return snapshots;
    }

    EventReader reader() {
        return reader;
    }

    SliceIndex index() {
        return index;
    }

    TaggedTypesReader taggedTypes() {
        return taggedTypes;
    }

    /** Events of this entity's type with tags were stored here: no write of the type has to make it known any more. */
    void hasStoredTags(EntityTruth entity) {
        typesWithTags.add(entity.entityType());
    }

    boolean hasStoredTagsOf(EntityTruth entity) {
        return typesWithTags.contains(entity.entityType());
    }

    Gateway gateway() {
        return gateway;
    }

    /** Time and chance of a node: the world's, and nothing happens while it stands still or is dead. */
    private record OfNode(World world, Node node) implements Surroundings {
        @Override
        public long nanoTime() {
            return world.now();
        }

        @Override
        public Runnable after(Duration delay, Runnable action) {
            return node.after(delay, action)::callOff;
        }

        @Override
        public double chance() {
            return world.random().nextDouble();
        }

        @Override
        public String uniqueName() {
            return "name-%016x%016x"
                    .formatted(world.random().nextLong(), world.random().nextLong());
        }
    }
}
