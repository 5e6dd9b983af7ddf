package io.varve.simulation.failsonce;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** The data, and what clients of the service know: all that outlives a process. */
public final class Scene {
    private final Server server = new Server();
    private final Map<String, EntityBook> entities = new TreeMap<>();
    private final Map<String, SnapshotBook> snapshots = new TreeMap<>();
    private final Map<String, ConsumerBook> consumers = new HashMap<>();
    private final ProjectionBook projection = new ProjectionBook();

    /** With empty tables. */
    Scene() {
        ServiceTables.addTo(server);
    }

    public Server server() {
        return server;
    }

    public EntityBook entity(String id) {
        return entities.computeIfAbsent(id, EntityBook::new);
    }

    public SnapshotBook snapshotsOf(String id) {
        return snapshots.computeIfAbsent(id, SnapshotBook::new);
    }

    public ConsumerBook consumer(String name) {
        return consumers.computeIfAbsent(name, given -> new ConsumerBook());
    }

    public ProjectionBook projection() {
        return projection;
    }

    /** What clients know of all entities. */
    public Map<String, EntityBook> entities() {
        return entities;
    }

    public Map<String, SnapshotBook> snapshots() {
        return snapshots;
    }
}
