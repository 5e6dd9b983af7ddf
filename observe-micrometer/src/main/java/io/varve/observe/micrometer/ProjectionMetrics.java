package io.varve.observe.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.varve.projection.ProgressObserver;
import io.varve.projection.ProgressObservers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.pekko.actor.ClassicActorSystemProvider;
import org.apache.pekko.projection.ProjectionId;

/**
 * Meters of all projections of an actor system.
 *
 * <p>Gauges are there while an instance of a projection runs on this node; they go with it, so that a lag that another node has
 * long made up for does not stay.
 */
public final class ProjectionMetrics implements ProgressObserver {
    private final MeterRegistry registry;
    private final Map<ProjectionId, Places> running = new ConcurrentHashMap<>();

    private ProjectionMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    /** Adds the meters, for projections that start from now on or run already. */
    public static void bind(ClassicActorSystemProvider system, MeterRegistry registry) {
        ProgressObservers.get(system).add(new ProjectionMetrics(registry));
    }

    /** What was last stored of the slices of an instance. */
    private static final class Places {
        private final Map<Integer, Duration> lags = new ConcurrentHashMap<>();
        private final Map<Integer, Instant> stored = new ConcurrentHashMap<>();
        private volatile int parked;
        private List<Gauge> gauges = List.of();

        double parked() {
            return parked;
        }

        double lag() {
            return lags.values().stream()
                    .mapToDouble(lag -> lag.toNanos() / 1e9)
                    .max()
                    .orElse(0);
        }

        double newest() {
            return stored.values().stream()
                    .mapToDouble(place -> place.toEpochMilli() / 1e3)
                    .max()
                    .orElse(0);
        }
    }

    @Override
    public void stored(ProjectionId projection, int slice, Instant seen, Instant stored) {
        Places places = running.computeIfAbsent(projection, this::start);
        places.lags.put(slice, Duration.between(stored, seen));
        places.stored.put(slice, stored);
    }

    private Places start(ProjectionId projection) {
        Places places = new Places();
        places.gauges = List.of(
                Gauge.builder("varve.projection.lag", places, Places::lag)
                        .description(
                                "How far the slice that is most behind is behind the newest event that it has seen.")
                        .baseUnit("seconds")
                        .tags(tags(projection))
                        .register(registry),
                Gauge.builder("varve.projection.parked.entities", places, Places::parked)
                        .description("Entities that are parked, those included that are being retried.")
                        .tags(tags(projection))
                        .register(registry),
                Gauge.builder("varve.projection.position", places, Places::newest)
                        .description("The time of the newest event that is processed, in seconds since 1970.")
                        .baseUnit("seconds")
                        .tags(tags(projection))
                        .register(registry));
        return places;
    }

    @Override
    public void stopped(ProjectionId projection) {
        Places places = running.remove(projection);
        if (places != null) {
            places.gauges.forEach(registry::remove);
        }
    }

    @Override
    public void processed(ProjectionId projection, int envelopes) {
        counter(projection, "varve.projection.processed", "Envelopes that are processed or skipped.")
                .increment(envelopes);
    }

    @Override
    public void handlerFailed(ProjectionId projection, Throwable cause) {
        counter(projection, "varve.projection.handler.failures", "Failed attempts of the handler.")
                .increment();
    }

    @Override
    public void outage(ProjectionId projection, Throwable cause, Duration lasting) {
        counter(projection, "varve.projection.outages", "Failures of DynamoDB that the projection waits out.")
                .increment();
    }

    @Override
    public void failed(ProjectionId projection, Throwable cause) {
        counter(projection, "varve.projection.failures", "Failures after which the projection began anew.")
                .increment();
    }

    @Override
    public void parked(ProjectionId projection, String persistenceId, long sequenceNumber, Throwable cause) {
        counter(
                        projection,
                        "varve.projection.parked",
                        "How often an entity was parked, because the handler failed for good.")
                .increment();
    }

    @Override
    public void parkedEntities(ProjectionId projection, int entities) {
        running.computeIfAbsent(projection, this::start).parked = entities;
    }

    private Counter counter(ProjectionId projection, String name, String description) {
        return Counter.builder(name)
                .description(description)
                .tags(tags(projection))
                .register(registry);
    }

    private static Tags tags(ProjectionId projection) {
        return Tags.of("projection", projection.name(), "key", projection.key());
    }
}
