package io.varve.persistence.internal.query;

import com.typesafe.config.Config;
import io.varve.persistence.internal.publish.PublishSettings;
import io.varve.store.SettingsException;
import io.varve.store.internal.entity.Source;
import io.varve.store.internal.journal.EventStoreSettings;
import io.varve.store.internal.settings.SettingsReader;
import io.varve.store.internal.slice.SliceQuerySettings;
import java.time.Duration;
import java.util.Set;

/**
 * The settings of a read journal.
 *
 * @param section its section, with what it does not say taken from the journal's
 * @param writePlugin the path of the journal's section
 * @param store how the journal stores its events
 * @param entities where the list of entities comes from
 * @param entitiesInterval how often a live query lists them again
 * @param taggedTypes the entity types that queries by tag read; all that have tagged events if empty
 */
record ReadJournalSettings(
        Config section,
        String writePlugin,
        EventStoreSettings store,
        PublishSettings publish,
        SliceQuerySettings slices,
        Source entities,
        Duration entitiesInterval,
        Set<String> taggedTypes,
        String clientDispatcher) {

    static ReadJournalSettings from(Config section, String path, Config config) {
        String writePlugin = new SettingsReader(section, path).nonEmpty("write-plugin");
        if (!config.hasPath(writePlugin)) {
            throw new SettingsException(
                    path + ".write-plugin",
                    "names the journal '" + writePlugin + "', which the configuration does not have");
        }
        Config journal = config.getConfig(writePlugin);
        Config merged = section.withFallback(journal);
        SettingsReader reader = new SettingsReader(merged, path)
                .alsoKnown("class", "write-plugin")
                .alsoKnown(journal.root().keySet().toArray(String[]::new));
        SettingsReader entities = reader.section("persistence-ids");
        SettingsReader tags = reader.section("events-by-tag");
        ReadJournalSettings settings = new ReadJournalSettings(
                merged,
                writePlugin,
                EventStoreSettings.from(reader),
                PublishSettings.from(reader.section("publish-events")),
                SliceQuerySettings.from(reader),
                source(reader, entities),
                entities.duration("refresh-interval"),
                Set.copyOf(tags.list("entity-types")),
                reader.nonEmpty("client-dispatcher"));
        entities.rejectUnknown();
        tags.rejectUnknown();
        reader.rejectUnknown();
        return settings;
    }

    /** Without the section, which may have secrets. */
    @Override
    public String toString() {
        return "ReadJournalSettings[writePlugin=" + writePlugin + ", store=" + store + ", publish=" + publish
                + ", slices="
                + slices + ", entities=" + entities + ", entitiesInterval=" + entitiesInterval + ", taggedTypes="
                + taggedTypes + ", clientDispatcher=" + clientDispatcher + "]";
    }

    private static Source source(SettingsReader reader, SettingsReader entities) {
        String name = reader.nonEmpty("persistence-ids-index-name");
        int segments = entities.integer("scan-segments", 1, 1_000);
        return switch (entities.oneOf("source", Kind.class)) {
            case INDEX -> new Source.Index();
            case PREDECESSOR_INDEX -> new Source.PredecessorIndex(name);
            case SCAN -> new Source.Scan(segments);
        };
    }

    private enum Kind {
        INDEX,
        PREDECESSOR_INDEX,
        SCAN
    }
}
