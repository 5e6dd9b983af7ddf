package io.varve.projection.internal.settings;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigUtil;
import io.varve.store.internal.settings.SettingsReader;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** For how long the rows of entities are kept, by the name of the projection. */
public record TimeToLive(Optional<Duration> defaults, Map<String, Optional<Duration>> projections) {
    private static final String KEY = "offset-time-to-live";

    public static TimeToLive from(SettingsReader reader, Config section) {
        SettingsReader defaults = reader.section("projection-defaults");
        Optional<Duration> byDefault = defaults.durationOrOff(KEY);
        defaults.rejectUnknown();
        Map<String, Optional<Duration>> projections = new TreeMap<>();
        Config named = section.getConfig("projections");
        SettingsReader names = reader.section("projections");
        named.root().keySet().forEach(name -> {
            SettingsReader projection = names.section(ConfigUtil.quoteString(name));
            projections.put(name, projection.durationOrOff(KEY));
            projection.rejectUnknown();
        });
        reader.rejectUnknown();
        return new TimeToLive(byDefault, projections);
    }

    /** Of the exact name, else of the longest prefix, else the default. */
    public Optional<Duration> of(String projection) {
        Optional<Duration> exact = projections.get(projection);
        if (exact != null) {
            return exact;
        }
        return projections.entrySet().stream()
                .filter(entry -> entry.getKey().endsWith("*"))
                .filter(entry -> projection.startsWith(
                        entry.getKey().substring(0, entry.getKey().length() - 1)))
                .max(Comparator.comparingInt(entry -> entry.getKey().length()))
                .map(Map.Entry::getValue)
                .orElse(defaults);
    }

    public static TimeToLive off() {
        return new TimeToLive(Optional.empty(), Map.of());
    }
}
