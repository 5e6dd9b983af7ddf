package io.varve.persistence.journal;

import com.typesafe.config.Config;
import io.varve.store.EventStoreSettings;
import io.varve.store.settings.SettingsReader;
import java.time.Duration;

/** The settings of a journal plugin. */
record JournalSettings(
        EventStoreSettings store,
        String clientDispatcher,
        String replayDispatcher,
        Duration circuitBreakerTimeout,
        boolean tracing,
        boolean logConfig) {

    private static final String FALLBACK = "pekko.persistence.journal-plugin-fallback";

    static JournalSettings from(Config section, String path, Config system) {
        SettingsReader reader = new SettingsReader(section, path)
                .alsoKnown(
                        "class",
                        "use-client",
                        "client",
                        "dispatcher",
                        "endpoint",
                        "aws-access-key-id",
                        "aws-secret-access-key",
                        "aws-client-config",
                        "operation-timeout",
                        "event-adapters",
                        "event-adapter-bindings")
                .alsoKnown(system.getConfig(FALLBACK).root().keySet().toArray(String[]::new));
        JournalSettings settings = new JournalSettings(
                EventStoreSettings.from(reader),
                reader.nonEmpty("client-dispatcher"),
                reader.nonEmpty("replay-dispatcher"),
                reader.section("circuit-breaker").duration("call-timeout"),
                reader.flag("tracing"),
                reader.flag("log-config"));
        reader.rejectUnknown();
        return settings;
    }
}
