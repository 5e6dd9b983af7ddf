package io.varve.simulation.failsonce.store;

import static io.varve.simulation.failsonce.ServiceTables.JOURNAL;
import static io.varve.simulation.failsonce.ServiceTables.NAME;
import static io.varve.simulation.failsonce.ServiceTables.OFFSETS;
import static io.varve.simulation.failsonce.ServiceTables.SNAPSHOTS;

import io.varve.simulation.failsonce.RunningService;
import io.varve.simulation.failsonce.Server;
import io.varve.simulation.failsonce.Wire;
import io.varve.store.StoreObserver;
import io.varve.store.internal.append.AtomicWrites;
import io.varve.store.internal.async.Backoff;
import io.varve.store.internal.async.Surroundings;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.client.GatewaySettings;
import io.varve.store.internal.entity.PersistenceIds;
import io.varve.store.internal.entity.Source;
import io.varve.store.internal.journal.EventReader;
import io.varve.store.internal.journal.EventStore;
import io.varve.store.internal.journal.EventStoreSettings;
import io.varve.store.internal.layout.ItemSize;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.offset.OffsetSettings;
import io.varve.store.internal.offset.OffsetTable;
import io.varve.store.internal.slice.SliceIndex;
import io.varve.store.internal.snapshot.Compression;
import io.varve.store.internal.snapshot.SnapshotStore;
import io.varve.store.internal.snapshot.SnapshotStoreSettings;
import io.varve.store.internal.table.TableCreator;
import io.varve.store.internal.table.TaggedTypesReader;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

/** A process with its stores, as a service has them, from its start to its end. What it knows is gone with it. */
public final class ServiceProcess implements RunningService {
    static final int SEQUENCE_SHARDS = 2;
    static final int INDEX_SHARDS = 4;
    static final Duration OPERATION = Duration.ofSeconds(8);
    static final int LARGEST_ITEM = 20_000;

    private static final Duration WAY = Duration.ofMillis(1);

    private final Server server;
    private final Timeline timeline;
    private final AtomicLong seeds;
    private final Wire wire;
    private final Gateway gateway;
    private final EventStore events;
    private final EventReader reader;
    private final SnapshotStore snapshots;
    private final OffsetTable offsets;
    private final Map<String, Long> next = new HashMap<>();

    ServiceProcess(Server server, Timeline timeline, AtomicLong seeds) {
        this.server = server;
        this.timeline = timeline;
        this.seeds = seeds;
        this.wire = new Wire(server, message -> timeline.after(WAY, message));
        this.gateway = new Gateway(
                wire.client(),
                new GatewaySettings(
                        OPERATION,
                        Duration.ofSeconds(2),
                        new Backoff(Duration.ofMillis(50), Duration.ofSeconds(1), 0.5),
                        4,
                        Optional.empty()),
                StoreObserver.NONE,
                executor(),
                clock(),
                new OfProcess(new Random(seeds.getAndIncrement())));
        EventStoreSettings settings = new EventStoreSettings(
                JOURNAL,
                NAME,
                OptionalInt.of(SEQUENCE_SHARDS),
                true,
                INDEX_SHARDS,
                AtomicWrites.TRANSACTIONAL,
                4,
                ItemSize.MAX,
                10,
                4,
                false,
                Duration.ofSeconds(5));
        this.events = new EventStore(gateway, settings, clock());
        this.reader = new EventReader(gateway, settings, clock());
        this.snapshots = new SnapshotStore(
                gateway,
                new SnapshotStoreSettings(SNAPSHOTS, NAME, Compression.NONE, 10_000_000, 64_000_000, LARGEST_ITEM, 4),
                clock());
        this.offsets = new OffsetTable(gateway, OFFSETS, "projection", OffsetSettings.DEFAULT, clock());
    }

    @Override
    public Wire wire() {
        return wire;
    }

    /** A process beside this one. */
    ServiceProcess another() {
        return new ServiceProcess(server, timeline, seeds);
    }

    InstantSource clock() {
        return timeline::instant;
    }

    /** Does something now, unless the process is gone. */
    Executor executor() {
        return action -> {
            if (!wire.isGone()) {
                action.run();
            }
        };
    }

    /** Does something later, unless the process is gone by then. */
    Runnable after(Duration delay, Runnable action) {
        return timeline.after(delay, () -> executor().execute(action));
    }

    EventStore events() {
        return events;
    }

    EventReader reader() {
        return reader;
    }

    SnapshotStore snapshots() {
        return snapshots;
    }

    OffsetTable offsets() {
        return offsets;
    }

    SliceIndex index() {
        return new SliceIndex(gateway, JOURNAL, new JournalKeys(NAME), INDEX_SHARDS);
    }

    TaggedTypesReader taggedTypes() {
        return new TaggedTypesReader(gateway, JOURNAL, new JournalKeys(NAME));
    }

    PersistenceIds persistenceIds(Source source) {
        return new PersistenceIds(gateway, JOURNAL, new JournalKeys(NAME), source);
    }

    TableCreator tables() {
        return new TableCreator(gateway, OPERATION);
    }

    /** The number of an entity's next event, if it was recovered here. */
    Optional<Long> next(String entity) {
        return Optional.ofNullable(next.get(entity));
    }

    void next(String entity, long number) {
        next.put(entity, number);
    }

    /** After a failure an entity stops, and is recovered before it writes again. */
    void forget(String entity) {
        next.remove(entity);
    }

    private final class OfProcess implements Surroundings {
        private final Random random;

        OfProcess(Random random) {
            this.random = random;
        }

        @Override
        public long nanoTime() {
            return timeline.nanoTime();
        }

        @Override
        public Runnable after(Duration delay, Runnable action) {
            return ServiceProcess.this.after(delay, action);
        }

        @Override
        public double chance() {
            return random.nextDouble();
        }

        @Override
        public String uniqueName() {
            return "name-%016x%016x".formatted(random.nextLong(), random.nextLong());
        }
    }
}
