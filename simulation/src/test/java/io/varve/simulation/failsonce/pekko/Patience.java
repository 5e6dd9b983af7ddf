package io.varve.simulation.failsonce.pekko;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.varve.simulation.failsonce.Fault;
import io.varve.simulation.failsonce.ServiceTables;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How long a process tries: for long, unless what is going to happen to it lasts until it gives up.
 *
 * @param operation the time for one operation with all its requests
 * @param request the time for one request
 */
record Patience(Duration operation, Duration request) {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration ASK = Duration.ofSeconds(2);
    private static final Duration SHORT = Duration.ofMillis(300);

    private static final Map<Patience, Config> CONFIGS = new ConcurrentHashMap<>();

    private static final Config SERVICE = ConfigFactory.parseString("""
                    pekko {
                      loglevel = OFF
                      stdout-loglevel = OFF
                      loggers = []
                      use-slf4j = off
                      logger-startup-timeout = 60 s
                      log-dead-letters = off
                      coordinated-shutdown.run-by-jvm-shutdown-hook = off
                      actor.default-dispatcher.executor = "%5$s"
                      actor.internal-dispatcher.executor = "%5$s"
                      actor.default-blocking-io-dispatcher.executor = "%5$s"
                      persistence.dispatchers.default-replay-dispatcher.executor = "%5$s"
                      persistence.journal.plugin = "dynamodb-journal"
                      persistence.snapshot-store.plugin = "dynamodb-snapshot-store"
                      persistence.dynamodb.client {
                        clock-skew-tolerance = off
                        retries { min-backoff = 1 ms, max-backoff = 20 ms }
                      }
                      projection {
                        restart-backoff { min-backoff = 20 ms, max-backoff = 50 ms }
                        at-least-once.save-offset-after-duration = 20 ms
                        grouped.group-after-duration = 20 ms
                        dynamodb.offset-store {
                          timestamp-offset-table = "%4$s"
                          slice-flush-interval = 50 ms
                          retries { min-backoff = 10 ms, max-backoff = 50 ms }
                        }
                      }
                    }
                    dynamodb-journal {
                      journal-table = "%1$s"
                      journal-name = "%2$s"
                      sequence-shards = 2
                      slice-index.shards = 4
                      check-writer-after = 1 h
                      circuit-breaker.call-timeout = 100 s
                      dispatcher.executor = "%5$s"
                    }
                    dynamodb-snapshot-store {
                      snapshot-table = "%3$s"
                      circuit-breaker.call-timeout = 100 s
                      aws-api-limits.max-item-size = 20000
                      max-snapshot-size = 1 MB
                    }
                    dynamodb-read-journal {
                      page-size = 3
                      refresh-interval = 50 ms
                      persistence-ids.refresh-interval = 50 ms
                      max-failures = 2
                      behind-current-time = 10 ms
                    }
                    """.formatted(
                            ServiceTables.JOURNAL,
                            ServiceTables.NAME,
                            ServiceTables.SNAPSHOTS,
                            ServiceTables.OFFSETS,
                            SharedThreads.class.getName()))
            .withFallback(ConfigFactory.load())
            .resolve();

    /** That of a process to which this is going to happen; longer each time a machine was too slow. */
    static Patience with(Fault fault, int disturbed) {
        Duration little = SHORT.multipliedBy(1L << (3 * disturbed));
        if (fault.isNone()) {
            return new Patience(LONG, LONG);
        }
        return switch (fault.way()) {
            case NO_ANSWER -> new Patience(LONG, little);
            case THROTTLED, OUTAGE, OUTAGE_AFTER_IT -> new Patience(little, LONG);
            default -> new Patience(LONG, LONG);
        };
    }

    boolean isShort() {
        return operation.compareTo(LONG) < 0;
    }

    /** The configuration of such a process. */
    Config config() {
        return CONFIGS.computeIfAbsent(this, Patience::made);
    }

    private Config made() {
        return ConfigFactory.parseString("""
                        pekko.persistence.dynamodb.client { operation-timeout = %1$d ms, request-timeout = %2$d ms }
                        dynamodb-snapshot-store.client.operation-timeout = %1$d ms
                        pekko.projection.management { ask-timeout = %3$d ms, operation-timeout = %4$d ms }
                        """.formatted(
                                operation.toMillis(),
                                request.toMillis(),
                                ASK.toMillis(),
                                ASK.plus(operation).toMillis()))
                .withFallback(SERVICE);
    }
}
