package io.varve.persistence.internal.plugin;

import io.varve.store.StoreObserver;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs every request of a plugin at DEBUG level, and passes it on. */
final class Tracing implements StoreObserver {
    private static final Logger LOG = LoggerFactory.getLogger(Tracing.class);

    private final String plugin;
    private final StoreObserver next;

    Tracing(String plugin, StoreObserver next) {
        this.plugin = plugin;
        this.next = next;
    }

    @Override
    public void requested(Request request) {
        LOG.debug(
                "{}: {} on {}, {} items, attempt {}: {} after {} ms, {} capacity units",
                plugin,
                request.operation(),
                request.table(),
                request.items(),
                request.attempt(),
                request.failure().map(Enum::name).orElse("ok"),
                request.latency().toNanos() / 1_000_000.0,
                request.capacityUnits());
        if (next.enabled()) {
            next.requested(request);
        }
    }

    @Override
    public void forgotten(Forgotten forgotten) {
        next.forgotten(forgotten);
    }
}
