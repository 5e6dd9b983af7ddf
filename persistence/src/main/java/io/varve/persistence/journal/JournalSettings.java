package io.varve.persistence.journal;

import com.typesafe.config.Config;
import io.varve.persistence.internal.plugin.PluginSettings;
import io.varve.persistence.internal.publish.PublishSettings;
import io.varve.store.internal.journal.EventStoreSettings;
import io.varve.store.internal.settings.SettingsReader;

/** The settings of a journal plugin. */
record JournalSettings(
        EventStoreSettings store, PluginSettings plugin, PublishSettings publish, String replayDispatcher) {

    private static final String FALLBACK = "pekko.persistence.journal-plugin-fallback";

    static JournalSettings from(Config section, String path, Config system) {
        SettingsReader reader = new SettingsReader(section, path).alsoKnown("event-adapters", "event-adapter-bindings");
        JournalSettings settings = new JournalSettings(
                EventStoreSettings.from(reader),
                PluginSettings.from(reader, system.getConfig(FALLBACK)),
                PublishSettings.from(reader.section("publish-events")),
                reader.nonEmpty("replay-dispatcher"));
        reader.rejectUnknown();
        return settings;
    }
}
