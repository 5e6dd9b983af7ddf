package io.varve.benchmark.driver;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigValueFactory;
import java.util.Map;

/** A command or an answer: one line of JSON. */
public final class DriverLine {
    private DriverLine() {}

    /** Writes a line. */
    public static String of(Map<String, ?> fields) {
        return ConfigValueFactory.fromMap(fields).render(ConfigRenderOptions.concise());
    }

    /** Reads a line. */
    public static Config parse(String line) {
        return ConfigFactory.parseString(line);
    }
}
