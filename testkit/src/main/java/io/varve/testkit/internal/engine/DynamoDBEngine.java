package io.varve.testkit.internal.engine;

import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;

/** An implementation of DynamoDB's API that runs as a process of its own. */
public enum DynamoDBEngine {
    /** AWS's DynamoDB Local. */
    LOCAL("varve-dynamodb-local-port=") {
        @Override
        public List<String> command(Optional<Path> folder) {
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx512m",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-cp",
                    testkitLocation() + File.pathSeparator + new DynamoDBLocalJars(System.getProperties()).classPath(),
                    DynamoDBLocalLauncher.class.getName()));
            command.addAll(
                    folder.map(path -> List.of("-dbPath", path.toAbsolutePath().toString()))
                            .orElse(List.of("-inMemory")));
            command.addAll(List.of("-sharedDb", "-disableTelemetry"));
            return command;
        }
    },
    /** An independent one: see {@link Dynoxide}. */
    DYNOXIDE(Dynoxide.ADDRESS_PREFIX) {
        @Override
        public List<String> command(Optional<Path> folder) {
            return new Dynoxide(System.getProperties()).command(folder);
        }
    };

    /** The system property that chooses. */
    public static final String PROPERTY = "varve.engine";

    private final String portPrefix;

    DynamoDBEngine(String portPrefix) {
        this.portPrefix = portPrefix;
    }

    /** The one that the properties name; DynamoDB Local if they name none. */
    public static DynamoDBEngine chosen(Properties properties) {
        String name = properties.getProperty(PROPERTY, LOCAL.id());
        for (DynamoDBEngine engine : values()) {
            if (engine.id().equals(name)) {
                return engine;
            }
        }
        throw new IllegalArgumentException(
                "The system property " + PROPERTY + " is '" + name + "', but must be local or dynoxide.");
    }

    /** The name by which it is chosen. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether it differs in this from what AWS documents. */
    public boolean differs(EngineDifference difference) {
        return difference.engine() == this;
    }

    /** The command that starts it, with its tables in memory or in a folder. */
    public abstract List<String> command(Optional<Path> folder);

    /** How the line begins in which it tells its port. */
    String portPrefix() {
        return portPrefix;
    }

    private static Path testkitLocation() {
        try {
            return Path.of(DynamoDBEngine.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
