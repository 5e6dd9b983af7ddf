package io.varve.persistence.internal.health;

import com.typesafe.config.Config;
import io.varve.store.internal.settings.SettingsReader;
import java.time.Duration;

/**
 * When health checks fail.
 *
 * @param unhealthyAfter how long nothing must have worked
 * @param forgetAfter how long after the last failure it counts as mended: where nothing is tried, nothing can be known
 */
public record HealthSettings(Duration unhealthyAfter, Duration forgetAfter) {
    private static final String PATH = "pekko.persistence.dynamodb.health-check";

    public static HealthSettings from(Config config) {
        SettingsReader reader = new SettingsReader(config.getConfig(PATH), PATH);
        HealthSettings settings =
                new HealthSettings(reader.duration("unhealthy-after"), reader.duration("forget-after"));
        reader.rejectUnknown();
        return settings;
    }
}
