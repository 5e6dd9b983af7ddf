package io.varve.projection;

import io.varve.persistence.internal.health.HealthSettings;
import io.varve.persistence.internal.health.LastingTrouble;
import io.varve.persistence.internal.plugin.PluginClients;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.projection.ProjectionId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A health check for Pekko Management: whether the projections that run on this node get on. One that has failed, or waits for
 * DynamoDB, and processes nothing for long makes it unhealthy. It sends no requests.
 */
public final class ProjectionHealthCheck implements Supplier<CompletionStage<Boolean>> {
    private static final Logger LOG = LoggerFactory.getLogger(ProjectionHealthCheck.class);

    private final InstantSource clock;
    private final Troubles troubles;
    private List<ProjectionId> reported = List.of();

    /** Called by Pekko Management; projections are watched from now on. */
    public ProjectionHealthCheck(ActorSystem system) {
        this.clock = PluginClients.get(system).clock();
        this.troubles = new Troubles(HealthSettings.from(system.settings().config()), clock);
        ProgressObservers.get(system).add(troubles);
    }

    /** Whether all projections of this node get on, as far as is known. */
    @Override
    public CompletionStage<Boolean> get() {
        List<ProjectionId> now = troubles.lasting(clock.instant());
        report(now);
        return CompletableFuture.completedFuture(now.isEmpty());
    }

    private synchronized void report(List<ProjectionId> now) {
        if (!now.equals(reported)) {
            if (now.isEmpty()) {
                LOG.info("Healthy again: all projections of this node get on, or have left it.");
            } else {
                LOG.warn("Unhealthy: for some time these projections have processed nothing but failed: {}.", now);
            }
            reported = now;
        }
    }

    /** What is known of the projections of a node, while they are in trouble. */
    private static final class Troubles implements ProgressObserver {
        private final HealthSettings settings;
        private final InstantSource clock;
        private final Map<ProjectionId, LastingTrouble> troubles = new ConcurrentHashMap<>();
        /** Those that have failed and will be started again, here or elsewhere. */
        private final Set<ProjectionId> restarting = ConcurrentHashMap.newKeySet();

        Troubles(HealthSettings settings, InstantSource clock) {
            this.settings = settings;
            this.clock = clock;
        }

        List<ProjectionId> lasting(Instant now) {
            return troubles.entrySet().stream()
                    .filter(entry -> entry.getValue().isLasting(now))
                    .map(Map.Entry::getKey)
                    .sorted((one, other) -> one.id().compareTo(other.id()))
                    .toList();
        }

        @Override
        public void stored(ProjectionId projection, int slice, Instant seen, Instant stored) {
            troubles.remove(projection);
        }

        @Override
        public void processed(ProjectionId projection, int envelopes) {
            troubles.remove(projection);
        }

        @Override
        public void outage(ProjectionId projection, Throwable cause, Duration lasting) {
            trouble(projection);
        }

        @Override
        public void failed(ProjectionId projection, Throwable cause) {
            restarting.add(projection);
            trouble(projection);
        }

        /** Without a failure it was told to stop, and is nobody's trouble here any more. */
        @Override
        public void stopped(ProjectionId projection) {
            if (!restarting.remove(projection)) {
                troubles.remove(projection);
            }
        }

        private void trouble(ProjectionId projection) {
            troubles.computeIfAbsent(projection, id -> new LastingTrouble(settings))
                    .failed(clock.instant());
        }
    }
}
