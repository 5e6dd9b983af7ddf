package io.varve.projection.internal.status;

import com.typesafe.config.Config;
import io.varve.store.internal.settings.SettingsReader;
import java.time.Duration;

/**
 * How long the handler of a new projection waits for the one that it replaces.
 *
 * @param pause between two questions to the table
 */
public record StatusSettings(Duration patience, Duration pause) {

    /** Of a section of the shape of {@code pekko.projection.dynamodb}. */
    public static StatusSettings from(Config section, String path) {
        SettingsReader reader = new SettingsReader(section, path).section("replaced-projection");
        StatusSettings settings = new StatusSettings(reader.duration("wait-timeout"), reader.duration("poll-interval"));
        reader.rejectUnknown();
        return settings;
    }
}
