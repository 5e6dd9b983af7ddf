package io.varve.persistence;

import io.varve.persistence.internal.health.HealthSettings;
import io.varve.persistence.internal.health.LastingTrouble;
import io.varve.persistence.internal.plugin.PluginClients;
import io.varve.store.FailureKind;
import io.varve.store.StoreObserver;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.pekko.actor.ActorSystem;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A health check for Pekko Management: whether DynamoDB answers the journal, the snapshot store, queries and projections of this actor
 * system. It judges by their requests, and sends none itself; where none fail it is healthy.
 */
public final class DynamoDBHealthCheck implements Supplier<CompletionStage<Boolean>> {
    private static final Logger LOG = LoggerFactory.getLogger(DynamoDBHealthCheck.class);
    /** Answers all the same: DynamoDB can be reached. */
    private static final Set<FailureKind> ANSWERS = EnumSet.of(
            FailureKind.CONDITION,
            FailureKind.THROTTLED,
            FailureKind.TRANSACTION_CONFLICT,
            FailureKind.REPLICATION_CONFLICT);

    private final PluginClients clients;
    private final LastingTrouble trouble;
    private final AtomicBoolean healthy = new AtomicBoolean(true);

    /** Called by Pekko Management; requests are seen from now on. */
    public DynamoDBHealthCheck(ActorSystem system) {
        this.clients = PluginClients.get(system);
        this.trouble = new LastingTrouble(HealthSettings.from(system.settings().config()));
        clients.observe(new StoreObserver() {
            @Override
            public void requested(Request request) {
                if (request.failure().filter(kind -> !ANSWERS.contains(kind)).isPresent()) {
                    trouble.failed(clients.clock().instant());
                } else {
                    trouble.worked();
                }
            }
        });
    }

    /** Whether DynamoDB can be reached, as far as is known. */
    @Override
    public CompletionStage<Boolean> get() {
        boolean now = !trouble.isLasting(clients.clock().instant());
        if (healthy.getAndSet(now) != now) {
            if (now) {
                LOG.info("Healthy again: DynamoDB answers, or nothing was asked of it for a while.");
            } else {
                LOG.warn("Unhealthy: for some time all requests to DynamoDB have failed. Their errors say why.");
            }
        }
        return CompletableFuture.completedFuture(now);
    }
}
