package io.varve.observe.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.varve.persistence.DynamoDBClients;
import io.varve.store.FailureKind;
import io.varve.store.StoreObserver;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.pekko.actor.ClassicActorSystemProvider;

/** Meters of all requests that the plugins of an actor system send to DynamoDB, and of what its queries give up. */
public final class DynamoDBMetrics implements StoreObserver {
    private final MeterRegistry registry;
    private final Map<Outcome, Timer> requests = new ConcurrentHashMap<>();
    private final Map<Target, Costs> costs = new ConcurrentHashMap<>();

    DynamoDBMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    /** Adds the meters; from now on each request is counted, and asks DynamoDB for the capacity that it consumes. */
    public static void bind(ClassicActorSystemProvider system, MeterRegistry registry) {
        DynamoDBClients.get(system).observe(new DynamoDBMetrics(registry));
    }

    private record Target(String operation, String table) {
        Tags tags() {
            return Tags.of("operation", operation, "table", table);
        }
    }

    private record Outcome(Target target, Optional<FailureKind> failure) {
        Tags tags() {
            return target.tags()
                    .and(
                            "outcome",
                            failure.map(kind -> kind.name().toLowerCase(Locale.ROOT))
                                    .orElse("success"));
        }
    }

    private record Costs(Counter capacity, Counter items, Counter retries) {}

    @Override
    public void forgotten(Forgotten forgotten) {
        Counter.builder("varve.query.forgotten.entities")
                .description(
                        "Entities that queries have forgotten too early, because more are active than remembered-entities.")
                .tags("table", forgotten.table())
                .register(registry)
                .increment(forgotten.entities());
    }

    @Override
    public void requested(Request request) {
        Target target = new Target(request.operation(), request.table());
        requests.computeIfAbsent(new Outcome(target, request.failure()), this::timer)
                .record(request.latency());
        Costs cost = costs.computeIfAbsent(target, this::counters);
        cost.capacity().increment(request.capacityUnits());
        cost.items().increment(request.items());
        if (request.attempt() > 1) {
            cost.retries().increment();
        }
    }

    private Timer timer(Outcome outcome) {
        return Timer.builder("varve.dynamodb.requests")
                .description("Requests to DynamoDB as they were sent; a retry is one of its own.")
                .tags(outcome.tags())
                .register(registry);
    }

    private Costs counters(Target target) {
        return new Costs(
                counter("varve.dynamodb.capacity", "Capacity units that DynamoDB says were consumed.", target),
                counter("varve.dynamodb.items", "Items that were written or asked for.", target),
                counter("varve.dynamodb.retries", "Requests that were not the first attempt.", target));
    }

    private Counter counter(String name, String description, Target target) {
        return Counter.builder(name)
                .description(description)
                .tags(target.tags())
                .register(registry);
    }
}
