package io.varve.projection.internal.reached;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.pekko.actor.AbstractExtensionId;
import org.apache.pekko.actor.ClassicActorSystemProvider;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.actor.Extension;

/** The instances of projections that run in an actor system, by the projection's name. */
public final class RunningInstances implements Extension {
    private static final Id ID = new Id();

    private final Map<String, List<RunningInstance>> byName = new ConcurrentHashMap<>();

    private RunningInstances() {}

    /** Those of this actor system. */
    public static RunningInstances get(ClassicActorSystemProvider system) {
        return ID.get(system.classicSystem());
    }

    /** An instance begins to run. */
    public void add(String projection, RunningInstance instance) {
        byName.computeIfAbsent(projection, name -> new CopyOnWriteArrayList<>()).add(instance);
    }

    /** An instance has ended. */
    public void remove(String projection, RunningInstance instance) {
        byName.computeIfPresent(projection, (name, instances) -> {
            instances.remove(instance);
            return instances.isEmpty() ? null : instances;
        });
    }

    /** The instance that processes the events of a slice, if it runs here. */
    public Optional<RunningInstance> find(String projection, int slice) {
        return byName.getOrDefault(projection, List.of()).stream()
                .filter(instance -> instance.covers(slice))
                .findFirst();
    }

    private static final class Id extends AbstractExtensionId<RunningInstances> {
        @Override
        public RunningInstances createExtension(ExtendedActorSystem system) {
            return new RunningInstances();
        }
    }
}
