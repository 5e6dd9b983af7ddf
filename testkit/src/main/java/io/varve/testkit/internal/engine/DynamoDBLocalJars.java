package io.varve.testkit.internal.engine;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.stream.Collectors;

/** Finds the jars of DynamoDB Local, which may not be redistributed: by property, in the local Maven repository, through Maven. */
public final class DynamoDBLocalJars {

    static final String CLASS_PATH_PROPERTY = "varve.dynamodb-local.classpath";
    private static final String GOAL = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:get";
    private static final String LOCK = "dynamodb-local.lock";

    private final Properties properties;
    private final String maven;

    /** Looks where the properties of a JVM say. */
    public DynamoDBLocalJars(Properties properties) {
        this(properties, isWindows() ? "mvn.cmd" : "mvn");
    }

    DynamoDBLocalJars(Properties properties, String maven) {
        this.properties = properties;
        this.maven = maven;
    }

    /** The class path that runs DynamoDB Local. */
    public String classPath() {
        String given = properties.getProperty(CLASS_PATH_PROPERTY);
        if (given != null && !given.isBlank()) {
            return given;
        }
        List<LockedJar> jars = locked();
        Path repository = repository();
        String fetched = "";
        if (!missing(jars, repository).isEmpty()) {
            fetched = fetch(jars.get(0), repository);
        }
        List<LockedJar> missing = missing(jars, repository);
        if (!missing.isEmpty()) {
            throw new IllegalStateException(explain(missing, repository, fetched));
        }
        return jars.stream()
                .map(jar -> verified(jar, repository).toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** The jars of the lock file, DynamoDB Local itself first. */
    static List<LockedJar> locked() {
        try (InputStream lock = DynamoDBLocalJars.class.getResourceAsStream(LOCK)) {
            if (lock == null) {
                throw new IllegalStateException("The testkit's jar lacks its resource " + LOCK);
            }
            return new String(lock.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .map(LockedJar::parse)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path repository() {
        for (String name : List.of("maven.repo.local", "localRepository")) {
            String value = properties.getProperty(name);
            if (value != null && !value.isBlank()) {
                return Path.of(value);
            }
        }
        return Path.of(properties.getProperty("user.home", ""), ".m2", "repository");
    }

    private static List<LockedJar> missing(List<LockedJar> jars, Path repository) {
        return jars.stream()
                .filter(jar -> !Files.isRegularFile(jar.in(repository)))
                .toList();
    }

    private static Path verified(LockedJar jar, Path repository) {
        Path file = jar.in(repository);
        String actual = sha256(file);
        if (!actual.equals(jar.sha256())) {
            throw new IllegalStateException(
                    ("%s is not the jar that the testkit was built with: its SHA-256 is %s and not"
                                    + " %s. Delete the file, so that Maven fetches it again, or set the system property %s to a class"
                                    + " path of DynamoDB Local that you trust.")
                            .formatted(file, actual, jar.sha256(), CLASS_PATH_PROPERTY));
        }
        return file;
    }

    private static String sha256(Path file) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Lets the user's own Maven, with its settings, mirrors and proxies, fetch the jars; returns what it printed. */
    private String fetch(LockedJar dynamoDBLocal, Path repository) {
        List<String> command = new ArrayList<>(List.of(
                maven,
                "-q",
                "-B",
                GOAL,
                "-Dartifact=" + dynamoDBLocal.coordinates(),
                "-Dmaven.repo.local=" + repository));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .directory(new File(properties.getProperty("java.io.tmpdir", ".")))
                    .start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int exit = process.waitFor();
            return exit == 0 ? "" : "'%s' ended with %d: %s".formatted(String.join(" ", command), exit, output.strip());
        } catch (IOException e) {
            return "'%s' could not be run: %s".formatted(String.join(" ", command), e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while Maven fetched DynamoDB Local", e);
        }
    }

    private static String explain(List<LockedJar> missing, Path repository, String fetched) {
        return ("%d jars of DynamoDB Local are missing from the Maven repository %s: %s. %sFetch them once with 'mvn dependency:get"
                        + " -Dartifact=%s', or give a ready class path in the system property %s (see the guide, page Testing).")
                .formatted(
                        missing.size(),
                        repository,
                        missing.stream().map(LockedJar::coordinates).collect(Collectors.joining(", ")),
                        fetched.isEmpty() ? "" : fetched + ". ",
                        locked().get(0).coordinates(),
                        CLASS_PATH_PROPERTY);
    }

    private static boolean isWindows() {
        return System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("windows");
    }

    /** One line of the lock file. */
    record LockedJar(String group, String artifact, String version, String sha256) {

        static LockedJar parse(String line) {
            String[] parts = line.split("[: ]", -1);
            return new LockedJar(parts[0], parts[1], parts[2], parts[3]);
        }

        String coordinates() {
            return group + ":" + artifact + ":" + version;
        }

        Path in(Path repository) {
            return repository
                    .resolve(group.replace('.', '/'))
                    .resolve(artifact)
                    .resolve(version)
                    .resolve(artifact + "-" + version + ".jar");
        }
    }
}
