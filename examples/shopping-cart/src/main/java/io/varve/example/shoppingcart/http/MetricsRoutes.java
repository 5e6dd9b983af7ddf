package io.varve.example.shoppingcart.http;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.apache.pekko.http.javadsl.server.AllDirectives;
import org.apache.pekko.http.javadsl.server.Route;

/** What this node has measured, as Prometheus reads it. */
final class MetricsRoutes extends AllDirectives {
    private final PrometheusMeterRegistry registry;

    MetricsRoutes(PrometheusMeterRegistry registry) {
        this.registry = registry;
    }

    Route create() {
        return path("metrics", () -> get(() -> complete(registry.scrape())));
    }
}
