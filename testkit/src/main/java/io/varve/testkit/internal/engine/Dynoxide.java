package io.varve.testkit.internal.engine;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;

/**
 * Dynoxide, an implementation of DynamoDB's API in one small binary that is independent of AWS's: given by property, or fetched by
 * npm once and kept in the user's cache.
 */
public final class Dynoxide {
    static final String BINARY_PROPERTY = "varve.dynoxide";
    /** How its address begins in what it prints. */
    static final String ADDRESS_PREFIX = "Dynoxide listening on http://127.0.0.1:";

    private static final String VERSION = "1.2.1";
    private static final String PACKAGE = "@dynoxide/linux-x64@" + VERSION;
    private static final Duration LONGEST_FETCH = Duration.ofSeconds(60);

    private final Properties properties;
    private final String npm;
    private final Duration longestFetch;

    /** As these system properties say. */
    public Dynoxide(Properties properties) {
        this(properties, "npm", LONGEST_FETCH);
    }

    Dynoxide(Properties properties, String npm, Duration longestFetch) {
        this.properties = properties;
        this.npm = npm;
        this.longestFetch = longestFetch;
    }

    /** The command that starts it on a port that is free now, with its tables in memory or in a folder. */
    public List<String> command(Optional<Path> folder) {
        List<String> command = new ArrayList<>(List.of(binary().toString(), "--port", Integer.toString(freePort())));
        folder.ifPresent(path -> command.addAll(List.of(
                "--db-path", path.resolve("dynoxide.db").toAbsolutePath().toString())));
        return command;
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Path binary() {
        String given = properties.getProperty(BINARY_PROPERTY, "");
        if (!given.isBlank()) {
            return executable(Path.of(given));
        }
        Path kept = Path.of(properties.getProperty("user.home", ""), ".cache", "varve", "dynoxide-" + VERSION);
        return Files.isExecutable(kept) ? kept : fetch(kept);
    }

    /** The package is for one platform only; elsewhere the system refuses to run it. */
    private void requirePlatform() {
        String platform = properties.getProperty("os.name", "") + " " + properties.getProperty("os.arch", "");
        if (!platform.equals("Linux amd64")) {
            throw new EngineUnavailableException(
                    "Dynoxide could not be fetched: the npm package %s is for Linux on x64, and this is %s. Give the path of another binary in the system property %s."
                            .formatted(PACKAGE, platform, BINARY_PROPERTY));
        }
    }

    private static Path executable(Path binary) {
        if (!Files.isExecutable(binary)) {
            throw new IllegalStateException("The system property " + BINARY_PROPERTY + " names " + binary
                    + ", which is not a program: give it the path of dynoxide's binary.");
        }
        return binary;
    }

    private Path fetch(Path kept) {
        requirePlatform();
        try {
            Files.createDirectories(kept.getParent());
            Path scratch = Files.createTempDirectory(kept.getParent(), "npm");
            try {
                run(scratch, npm, "pack", "--silent", "--fetch-retries=1", "--fetch-retry-mintimeout=1000", PACKAGE);
                run(scratch, "sh", "-c", "tar -xzf *.tgz");
                // Another JVM may do the same just now: both bring the same file.
                Files.move(scratch.resolve("package/dynoxide"), kept, StandardCopyOption.ATOMIC_MOVE);
            } finally {
                delete(scratch.toFile());
            }
            return executable(kept);
        } catch (IOException e) {
            throw new UncheckedIOException("Dynoxide could not be kept at " + kept, e);
        }
    }

    /** Runs a command whose output goes to a file, so that nothing but the limit decides how long this waits. */
    private void run(Path folder, String... command) throws IOException {
        Path output = folder.resolve("output");
        String problem;
        try {
            Process process = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            process.getOutputStream().close();
            if (!process.waitFor(longestFetch.toNanos(), TimeUnit.NANOSECONDS)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
                problem = "has not ended within " + longestFetch.toMillis() / 1000.0 + " seconds";
            } else if (process.exitValue() == 0) {
                return;
            } else {
                problem = "says: " + Files.readString(output).strip();
            }
        } catch (IOException e) {
            problem = "says: " + e.getMessage();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            problem = "was interrupted";
        }
        throw new EngineUnavailableException(
                "Dynoxide could not be fetched: '%s' %s. Install npm, or give the path of the binary (of the npm package %s) in the system property %s."
                        .formatted(String.join(" ", command), problem, PACKAGE, BINARY_PROPERTY));
    }

    private static void delete(File file) throws IOException {
        File[] parts = file.listFiles();
        for (File part : parts == null ? new File[0] : parts) {
            delete(part);
        }
        Files.deleteIfExists(file.toPath());
    }
}
