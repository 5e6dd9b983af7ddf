package io.varve.persistence.snapshot;

import com.typesafe.config.Config;
import io.varve.persistence.internal.plugin.PluginSettings;
import io.varve.store.internal.settings.SettingsReader;
import io.varve.store.internal.snapshot.SnapshotStoreSettings;

/** The settings of a snapshot store plugin. */
record SnapshotSettings(SnapshotStoreSettings store, PluginSettings plugin, boolean loadOlderOnFailure) {

    private static final String FALLBACK = "pekko.persistence.snapshot-store-plugin-fallback";

    static SnapshotSettings from(Config section, String path, Config system) {
        SettingsReader reader = new SettingsReader(section, path);
        SnapshotSettings settings = new SnapshotSettings(
                SnapshotStoreSettings.from(reader),
                PluginSettings.from(reader, system.getConfig(FALLBACK)),
                reader.flag("load-older-on-failure"));
        reader.rejectUnknown();
        return settings;
    }
}
