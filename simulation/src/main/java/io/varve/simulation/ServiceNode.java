package io.varve.simulation;

import io.varve.store.StoreObserver;
import io.varve.store.internal.append.AtomicWrites;
import io.varve.store.internal.async.Backoff;
import io.varve.store.internal.async.Surroundings;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.client.GatewaySettings;
import io.varve.store.internal.journal.EventStore;
import io.varve.store.internal.journal.EventStoreSettings;
import io.varve.store.internal.layout.ItemSize;
import io.varve.store.internal.snapshot.Compression;
import io.varve.store.internal.snapshot.SnapshotStore;
import io.varve.store.internal.snapshot.SnapshotStoreSettings;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/** A node with its stores, as a service has them. */
final class ServiceNode {
    static final String JOURNAL = "journal";
    static final String SNAPSHOTS = "snapshots";

    private final Node node;
    private final EventStore events;
    private final SnapshotStore snapshots;

    ServiceNode(World world, Network network, Node node) {
        this.node = node;
        Gateway gateway = new Gateway(
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
        this.events = new EventStore(
                gateway,
                new EventStoreSettings(
                        JOURNAL,
                        "journal",
                        OptionalInt.of(1),
                        true,
                        64,
                        AtomicWrites.TRANSACTIONAL,
                        4,
                        ItemSize.MAX,
                        10,
                        4,
                        false,
                        Duration.ofSeconds(5)),
                node.clock());
        this.snapshots = new SnapshotStore(
                gateway,
                new SnapshotStoreSettings(SNAPSHOTS, "journal", Compression.NONE, 10_000_000, 64_000_000, 20_000, 4),
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
