package io.varve.persistence.internal.publish;

import io.varve.store.internal.settings.SettingsReader;
import java.time.Duration;

/**
 * How a journal publishes what it has stored.
 *
 * @param throughputThreshold events per second
 */
public record PublishSettings(
        boolean enabled, int numberOfTopics, int throughputThreshold, Duration throughputInterval) {
    private static final int MOST_EVENTS_PER_SECOND = 1_000_000_000;

    /** Reads a journal's section {@code publish-events}. */
    public static PublishSettings from(SettingsReader reader) {
        PublishSettings settings = new PublishSettings(
                reader.flag("enabled"),
                reader.parsed("number-of-topics", PublishSettings::numberOfTopics),
                reader.integer("throughput-threshold", 1, MOST_EVENTS_PER_SECOND),
                reader.duration("throughput-interval"));
        reader.rejectUnknown();
        return settings;
    }

    private static int numberOfTopics(String text) {
        try {
            return JournalTopics.checkNumber(Integer.parseInt(text));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("is '" + text + "', but must be a whole number", e);
        }
    }
}
