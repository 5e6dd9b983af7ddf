package io.varve.store.internal.client;

import com.typesafe.config.Config;
import io.varve.store.internal.async.Backoff;
import io.varve.store.internal.settings.SettingsReader;
import java.time.Duration;
import java.util.Optional;

/**
 * How the gateway uses a client: how long an operation may take, how long one attempt of it, how retries are spaced, how many
 * requests of one batch run at once, and how far clocks may differ before it is said.
 */
public record GatewaySettings(
        Duration operationTimeout,
        Duration requestTimeout,
        Backoff backoff,
        int batchParallelism,
        Optional<Duration> clockSkewTolerance) {

    static final String[] KEYS = {
        "operation-timeout", "request-timeout", "retries", "batch-parallelism", "clock-skew-tolerance"
    };

    /** Reads the gateway's part of a section of the shape of {@value ClientSettings#PATH}. */
    public static GatewaySettings from(Config section, String path) {
        SettingsReader reader = new SettingsReader(section, path);
        SettingsReader retries = reader.section("retries");
        Duration least = retries.duration("min-backoff");
        Duration most = retries.duration("max-backoff");
        if (most.compareTo(least) < 0) {
            throw retries.invalid("max-backoff", "is shorter than min-backoff");
        }
        Backoff backoff = new Backoff(least, most, retries.number("jitter", 0, 1));
        retries.rejectUnknown();
        return new GatewaySettings(
                reader.duration("operation-timeout"),
                reader.duration("request-timeout"),
                backoff,
                reader.integer("batch-parallelism", 1, 1000),
                reader.durationOrOff("clock-skew-tolerance"));
    }

    /** The same with another time for each operation. */
    public GatewaySettings withOperationTimeout(Duration timeout) {
        return new GatewaySettings(timeout, requestTimeout, backoff, batchParallelism, clockSkewTolerance);
    }
}
