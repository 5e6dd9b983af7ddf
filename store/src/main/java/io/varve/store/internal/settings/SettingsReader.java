package io.varve.store.internal.settings;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigValue;
import io.varve.store.SettingsException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;

/** Reads one section of configuration, naming path and origin of whatever is wrong, and remembers which keys are known. */
public final class SettingsReader {
    private final Config config;
    private final String path;
    private final Set<String> known = new LinkedHashSet<>();

    /** A reader of the section {@code config}, which stands at {@code path}. */
    public SettingsReader(Config config, String path) {
        this.config = config;
        this.path = path;
    }

    /** The reader of the section at {@code path} of {@code root}. */
    public static SettingsReader at(Config root, String path) {
        if (!root.hasPath(path)) {
            throw new SettingsException(path, "this section is missing from the configuration");
        }
        return new SettingsReader(root.getConfig(path), path);
    }

    /** A text, possibly empty. */
    public String string(String key) {
        return read(key, () -> config.getString(key));
    }

    /** A text that must not be empty. */
    public String nonEmpty(String key) {
        String value = string(key);
        if (value.isBlank()) {
            throw invalid(key, "must not be empty");
        }
        return value;
    }

    /** A text; absent where it is empty or not set. */
    public Optional<String> optional(String key) {
        known.add(key);
        return config.hasPath(key) ? Optional.of(string(key)).filter(s -> !s.isBlank()) : Optional.empty();
    }

    /** A flag. */
    public boolean flag(String key) {
        return read(key, () -> config.getBoolean(key));
    }

    /** A whole number within bounds, both inclusive. */
    public int integer(String key, int least, int most) {
        int value = read(key, () -> config.getInt(key));
        if (value < least || value > most) {
            throw invalid(
                    key,
                    most == Integer.MAX_VALUE
                            ? "is " + value + ", but must be at least " + least
                            : "is " + value + ", but must be from " + least + " to " + most);
        }
        return value;
    }

    /** A number within bounds, both inclusive. */
    public double number(String key, double least, double most) {
        double value = read(key, () -> config.getDouble(key));
        if (!(value >= least && value <= most)) {
            throw invalid(key, "is " + value + ", but must be from " + least + " to " + most);
        }
        return value;
    }

    /** A size in bytes, such as {@code 10 KiB}. */
    public long bytes(String key) {
        long value = read(key, () -> config.getBytes(key));
        if (value < 0) {
            throw invalid(key, "is " + value + " bytes, but must not be negative");
        }
        return value;
    }

    /** A duration longer than zero. */
    public Duration duration(String key) {
        Duration value = read(key, () -> config.getDuration(key));
        if (value.isZero() || value.isNegative()) {
            throw invalid(key, "is " + config.getString(key) + ", but must be longer than zero");
        }
        return value;
    }

    /** A duration longer than zero, or absent where the value is {@code off}. */
    public Optional<Duration> durationOrOff(String key) {
        return isWord(key, "off", "false") ? Optional.empty() : Optional.of(duration(key));
    }

    /** One of the given words, turned into a value. */
    public <T extends Enum<T>> T oneOf(String key, Class<T> type) {
        String value = string(key).toUpperCase(Locale.ROOT).replace('-', '_');
        return Arrays.stream(type.getEnumConstants())
                .filter(c -> c.name().equals(value))
                .findFirst()
                .orElseThrow(() -> invalid(
                        key,
                        "is '" + config.getString(key) + "', but must be one of "
                                + Arrays.stream(type.getEnumConstants())
                                        .map(c -> c.name()
                                                .toLowerCase(Locale.ROOT)
                                                .replace('_', '-'))
                                        .toList()));
    }

    /** Whether the value is one of these words. */
    public boolean isWord(String key, String... words) {
        return List.of(words).contains(string(key).trim().toLowerCase(Locale.ROOT));
    }

    /** A value made from the text by a function whose {@link IllegalArgumentException} says what is wrong. */
    public <T> T parsed(String key, Function<String, T> parser) {
        String value = string(key);
        try {
            return parser.apply(value);
        } catch (IllegalArgumentException e) {
            throw invalid(key, String.valueOf(e.getMessage()));
        }
    }

    /** The texts of a list. */
    public List<String> list(String key) {
        return read(key, () -> List.copyOf(config.getStringList(key)));
    }

    /** The texts of a section of free keys, such as tags. */
    public Map<String, String> texts(String key) {
        return read(key, () -> {
            Map<String, String> texts = new TreeMap<>();
            config.getObject(key).forEach((name, value) -> texts.put(name, String.valueOf(value.unwrapped())));
            return Collections.unmodifiableMap(texts);
        });
    }

    /** The reader of a section within this one. */
    public SettingsReader section(String key) {
        known.add(key);
        try {
            return new SettingsReader(config.getConfig(key), path + "." + key);
        } catch (ConfigException e) {
            throw invalid(key, "must be a section: " + e.getMessage());
        }
    }

    /** Declares keys that are read elsewhere, so that {@link #rejectUnknown} accepts them. */
    public SettingsReader alsoKnown(String... keys) {
        known.addAll(List.of(keys));
        return this;
    }

    /** Fails for a key that nobody has asked for: most often a misspelt one. */
    public void rejectUnknown() {
        for (Map.Entry<String, ConfigValue> setting : new TreeMap<>(config.root()).entrySet()) {
            if (!known.contains(setting.getKey())) {
                throw new SettingsException(
                        pathOf(setting.getKey()) + origin(setting.getValue()),
                        "this setting is not known; this section has " + new TreeSet<>(known));
            }
        }
    }

    /** The full config path of a key. */
    public String pathOf(String key) {
        return path + "." + key;
    }

    /** The error for a key's value; the reason must not contain a secret. */
    public SettingsException invalid(String key, String reason) {
        return new SettingsException(pathOf(key) + (config.hasPath(key) ? origin(config.getValue(key)) : ""), reason);
    }

    private static String origin(ConfigValue value) {
        return " (" + value.origin().description() + ")";
    }

    private <T> T read(String key, Supplier<T> value) {
        known.add(key);
        try {
            return value.get();
        } catch (ConfigException.Missing e) {
            throw new SettingsException(pathOf(key), "is not set");
        } catch (ConfigException.WrongType | ConfigException.BadValue e) {
            throw invalid(key, "has the wrong form: " + e.getMessage());
        }
    }
}
