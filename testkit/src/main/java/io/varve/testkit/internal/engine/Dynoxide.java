package io.varve.testkit.internal.engine;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;

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

    private final Properties properties;
    private final String npm;

    /** As these system properties say. */
    public Dynoxide(Properties properties) {
        this(properties, "npm");
    }

    Dynoxide(Properties properties, String npm) {
        this.properties = properties;
        this.npm = npm;
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

    private static Path executable(Path binary) {
        if (!Files.isExecutable(binary)) {
            throw new IllegalStateException("The system property " + BINARY_PROPERTY + " names " + binary
                    + ", which is not a program: give it the path of dynoxide's binary.");
        }
        return binary;
    }

    private Path fetch(Path kept) {
        try {
            Files.createDirectories(kept.getParent());
            Path scratch = Files.createTempDirectory(kept.getParent(), "npm");
            try {
                run(scratch, npm, "pack", "--silent", PACKAGE);
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

    private static void run(Path folder, String... command) {
        String output;
        try {
            Process process = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .start();
            process.getOutputStream().close();
            output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() == 0) {
                return;
            }
        } catch (IOException e) {
            output = String.valueOf(e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            output = "interrupted";
        }
        throw new IllegalStateException(
                ("Dynoxide could not be fetched: '%s' says: %s. Install npm, or give the path of the binary (of the npm package %s) in"
                                + " the system property %s.")
                        .formatted(String.join(" ", command), output.strip(), PACKAGE, BINARY_PROPERTY));
    }

    private static void delete(File file) throws IOException {
        File[] parts = file.listFiles();
        for (File part : parts == null ? new File[0] : parts) {
            delete(part);
        }
        Files.deleteIfExists(file.toPath());
    }
}
