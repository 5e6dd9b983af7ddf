package io.varve.observe.micrometer;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.varve.projection.ProjectionLag;
import io.varve.projection.javadsl.StoredProjection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ToDoubleFunction;
import org.apache.pekko.actor.Cancellable;
import org.apache.pekko.actor.typed.ActorSystem;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Meters of what waits for a projection, whether it runs or not. Each look at it costs about a thousand read units: on one node, and
 * not too often.
 */
public final class BacklogMetrics {
    private static final Logger LOG = LoggerFactory.getLogger(BacklogMetrics.class);

    private final StoredProjection projection;
    private final List<@Nullable ProjectionLag> latest;
    private final AtomicBoolean asking = new AtomicBoolean();

    private BacklogMetrics(StoredProjection projection, int numberOfInstances) {
        this.projection = projection;
        this.latest = new ArrayList<>(Collections.nCopies(numberOfInstances, null));
    }

    /**
     * Adds the meters, for so many instances, and looks in each interval; the gauges are NaN until the first look, and after one that
     * has failed.
     *
     * @return ends it
     */
    public static Cancellable bind(
            ActorSystem<?> system,
            MeterRegistry registry,
            StoredProjection projection,
            int numberOfInstances,
            Duration interval) {
        BacklogMetrics metrics = new BacklogMetrics(projection, numberOfInstances);
        for (int instance = 0; instance < numberOfInstances; instance++) {
            metrics.register(registry, instance, numberOfInstances);
        }
        return system.scheduler()
                .scheduleWithFixedDelay(Duration.ZERO, interval, metrics::ask, system.executionContext());
    }

    private void register(MeterRegistry registry, int instance, int numberOfInstances) {
        Tags tags = Tags.of("projection", projection.name(), "instance", instance + "/" + numberOfInstances);
        Gauge.builder("varve.projection.backlog", this, all -> all.value(instance, ProjectionLag::events))
                .description(
                        "Events that wait for the projection, at least: no more than 100 of an index shard are counted.")
                .tags(tags)
                .register(registry);
        Gauge.builder(
                        "varve.projection.backlog.age",
                        this,
                        all -> all.value(instance, lag -> lag.age().toNanos() / 1e9))
                .description("The age of the oldest event that waits for the projection.")
                .baseUnit("seconds")
                .tags(tags)
                .register(registry);
    }

    private synchronized double value(int instance, ToDoubleFunction<ProjectionLag> value) {
        ProjectionLag lag = latest.get(instance);
        return lag == null ? Double.NaN : value.applyAsDouble(lag);
    }

    private void ask() {
        if (asking.compareAndSet(false, true)) {
            projection.lag(latest.size()).whenComplete((lags, thrown) -> {
                if (thrown != null) {
                    LOG.warn("The backlog of projection {} is not known: {}", projection.name(), thrown.getMessage());
                }
                set(thrown == null ? lags : Collections.nCopies(latest.size(), null));
                asking.set(false);
            });
        }
    }

    private synchronized void set(List<? extends @Nullable ProjectionLag> lags) {
        for (int instance = 0; instance < latest.size(); instance++) {
            latest.set(instance, lags.get(instance));
        }
    }
}
