package io.varve.simulation.failsonce;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** The data, the time, and what clients of the service know: all that outlives a process. */
final class Scene {
    private final Server server = new Server();
    private final Timeline timeline = new Timeline();
    private final Map<String, EntityBook> entities = new TreeMap<>();
    private final Map<String, SnapshotBook> snapshots = new TreeMap<>();
    private final Map<String, ConsumerBook> consumers = new HashMap<>();
    private final ProjectionBook projection = new ProjectionBook();
    private long processes;

    Server server() {
        return server;
    }

    Timeline timeline() {
        return timeline;
    }

    /** A fresh process on the same data, after what the last one has sent is there. */
    ServiceProcess start() {
        timeline.pass(Duration.ofSeconds(1));
        return another();
    }

    /** A process beside those that there are. */
    ServiceProcess another() {
        return new ServiceProcess(server, timeline, processes++);
    }

    EntityBook entity(String id) {
        return entities.computeIfAbsent(id, EntityBook::new);
    }

    SnapshotBook snapshotsOf(String id) {
        return snapshots.computeIfAbsent(id, SnapshotBook::new);
    }

    ConsumerBook consumer(String name) {
        return consumers.computeIfAbsent(name, given -> new ConsumerBook());
    }

    ProjectionBook projection() {
        return projection;
    }

    /** What clients know of all entities. */
    Map<String, EntityBook> entities() {
        return entities;
    }

    Map<String, SnapshotBook> snapshots() {
        return snapshots;
    }
}
