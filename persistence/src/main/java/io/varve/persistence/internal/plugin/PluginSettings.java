package io.varve.persistence.internal.plugin;

import com.typesafe.config.Config;
import io.varve.store.internal.client.GatewaySettings;
import io.varve.store.internal.settings.SettingsReader;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the plugins' sections have in common. */
public record PluginSettings(String clientDispatcher, Duration circuitBreakerTimeout, boolean logConfig) {
    private static final Logger LOG = LoggerFactory.getLogger(PluginSettings.class);
    /** The share of the circuit breaker's time that an operation may take, so that it has ended when the breaker reports. */
    private static final double SHARE_OF_CIRCUIT_BREAKER = 0.9;

    /** Reads a plugin's section; {@code fallback} is Pekko's own for this kind of plugin, whose keys are known, too. */
    public static PluginSettings from(SettingsReader reader, Config fallback) {
        reader.alsoKnown(
                        "class",
                        "use-client",
                        "client",
                        "dispatcher",
                        "endpoint",
                        "aws-access-key-id",
                        "aws-secret-access-key",
                        "aws-client-config",
                        "operation-timeout",
                        "tracing")
                .alsoKnown(fallback.root().keySet().toArray(String[]::new));
        return new PluginSettings(
                reader.nonEmpty("client-dispatcher"),
                reader.section("circuit-breaker").duration("call-timeout"),
                reader.flag("log-config"));
    }

    /** How long anything may take that the circuit breaker watches. */
    public Duration mostTime() {
        return below(circuitBreakerTimeout);
    }

    /** How long an operation of a plugin with this section takes at most. */
    public static Duration longestOperation(GatewaySettings gateway, Config section) {
        Duration most = below(section.getDuration("circuit-breaker.call-timeout"));
        return gateway.operationTimeout().compareTo(most) <= 0 ? gateway.operationTimeout() : most;
    }

    private static Duration below(Duration circuitBreaker) {
        return Duration.ofMillis((long) (circuitBreaker.toMillis() * SHARE_OF_CIRCUIT_BREAKER));
    }

    /** The gateway's settings with an operation time below the circuit breaker's. */
    public GatewaySettings belowCircuitBreaker(GatewaySettings gateway, String path) {
        Duration most = mostTime();
        if (gateway.operationTimeout().compareTo(most) <= 0) {
            return gateway;
        }
        LOG.info(
                "{}: operation-timeout ({} ms) is shortened to {} ms, because a write must have ended when"
                        + " circuit-breaker.call-timeout ({} ms) reports it as failed.",
                path,
                gateway.operationTimeout().toMillis(),
                most.toMillis(),
                circuitBreakerTimeout.toMillis());
        return gateway.withOperationTimeout(most);
    }
}
