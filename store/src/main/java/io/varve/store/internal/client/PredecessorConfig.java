package io.varve.store.internal.client;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigOriginFactory;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The client's keys as the predecessors spell them in a plugin's section, turned into ours.
 *
 * @param overlay what the section sets, in the shape of {@value ClientSettings#PATH}
 * @param ignored the paths of those keys that mean nothing to today's client
 */
public record PredecessorConfig(Config overlay, List<String> ignored) {
    private static final String UNSET = "default";

    /** Old key below {@code aws-client-config} → our key. */
    private static final Map<String, String> TEXTS = Map.of(
            "max-connections", "http.max-concurrency",
            "proxy-host", "http.proxy.host",
            "proxy-port", "http.proxy.port",
            "proxy-username", "http.proxy.username",
            "proxy-password", "http.proxy.password",
            "use-tcp-keepalive", "http.tcp-keep-alive",
            "user-agent", "user-agent");

    /** As {@link #TEXTS}, for numbers of milliseconds. */
    private static final Map<String, String> MILLISECONDS = Map.of(
            "client-execution-timeout", "operation-timeout",
            "request-timeout", "request-timeout",
            "connection-timeout", "http.connect-timeout",
            "connection-max-idle-millis", "http.idle-timeout",
            "connection-ttl", "http.time-to-live",
            "socket-timeout", "http.read-timeout");

    /** Reads the predecessors' keys of a plugin's section that stands at {@code path}. */
    public static PredecessorConfig from(Config section, String path) {
        Overlay overlay = new Overlay(path);
        String protocol =
                text(section, "aws-client-config.protocol").orElse("https").toLowerCase(Locale.ROOT);
        text(section, "endpoint")
                .ifPresent(endpoint -> overlay.set(
                        "endpoint", endpoint.contains("://") ? endpoint : protocol + "://" + endpoint, "endpoint"));
        text(section, "aws-access-key-id")
                .ifPresent(id -> overlay.set("credentials.access-key-id", id, "aws-access-key-id"));
        text(section, "aws-secret-access-key")
                .ifPresent(secret -> overlay.set("credentials.secret-access-key", secret, "aws-secret-access-key"));
        text(section, "operation-timeout")
                .ifPresent(time -> overlay.set("operation-timeout", time, "operation-timeout"));
        List<String> ignored = new ArrayList<>();
        if (section.hasPath("aws-client-config")) {
            for (Map.Entry<String, ConfigValue> setting :
                    new TreeMap<>(section.getObject("aws-client-config")).entrySet()) {
                String key = "aws-client-config." + setting.getKey();
                String value = String.valueOf(setting.getValue().unwrapped());
                if (value.equals(UNSET)) {
                    continue;
                }
                String ours = TEXTS.get(setting.getKey());
                String milliseconds = MILLISECONDS.get(setting.getKey());
                if (ours != null) {
                    overlay.set(ours, value, key);
                } else if (milliseconds != null) {
                    overlay.setUnlessZero(milliseconds, value, key);
                } else if (!setting.getKey().equals("protocol")) {
                    ignored.add(path + "." + key);
                }
            }
        }
        return new PredecessorConfig(overlay.config, List.copyOf(ignored));
    }

    /** Without the values, some of which are secret. */
    @Override
    public String toString() {
        List<String> set =
                overlay.entrySet().stream().map(Map.Entry::getKey).sorted().toList();
        return "PredecessorConfig[sets " + set + ", ignores " + ignored + "]";
    }

    private static Optional<String> text(Config section, String key) {
        return section.hasPath(key)
                ? Optional.of(section.getString(key)).filter(s -> !s.isBlank() && !s.equals(UNSET))
                : Optional.empty();
    }

    /** Collects our keys; each value says which old key it came from. */
    private static final class Overlay {
        private final String path;
        private Config config = ConfigFactory.empty();

        Overlay(String path) {
            this.path = path;
        }

        void set(String ours, String value, String theirs) {
            config = config.withValue(
                    ours,
                    ConfigValueFactory.fromAnyRef(value)
                            .withOrigin(ConfigOriginFactory.newSimple("set by " + path + "." + theirs)));
        }

        /** The old client takes 0 for "no limit"; then ours stays as it is. */
        void setUnlessZero(String ours, String milliseconds, String theirs) {
            if (!milliseconds.equals("0") && !milliseconds.equals("-1")) {
                set(ours, milliseconds + " ms", theirs);
            }
        }
    }
}
