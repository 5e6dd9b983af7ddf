package io.varve.specification;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tlc2.TLC;

/** TLC finds what each configuration says. It keeps static state, so each one runs in a JVM of its own. */
class SpecificationTest {
    private static final Path FOLDER =
            Path.of("..", "docs", "spec").toAbsolutePath().normalize();
    private static final Pattern STATES =
            Pattern.compile("(?m)^\\d+ states generated, (\\d+) distinct states found, (\\d+) states left");

    @TempDir
    private Path scratch;

    static List<Configuration> configurations() throws IOException {
        return Configuration.in(FOLDER);
    }

    @ParameterizedTest
    @MethodSource("configurations")
    void finds(Configuration configuration) throws Exception {
        String output = check(configuration);
        Matcher states = STATES.matcher(output);
        assertThat(states.find()).as(output).isTrue();
        if (configuration.violated().isPresent()) {
            assertThat(output).contains("Invariant " + configuration.violated().get() + " is violated");
        } else {
            assertThat(output).contains("No error has been found");
            assertThat(states.group(2)).as("states left to look at").isEqualTo("0");
        }
        assertThat(Long.parseLong(states.group(1)))
                .as("distinct states")
                .isGreaterThanOrEqualTo(configuration.atLeast());
        System.out.println(configuration + ": " + states.group(1) + " distinct states");
    }

    /** Each module holds with all its rules, and fails with any one dropped. */
    @Test
    void everyModule_hasAConfigurationThatHolds_andOneThatDoesNot() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            assertThat(files.map(file -> file.getFileName().toString()).filter(name -> name.endsWith(".tla")))
                    .isNotEmpty()
                    .allSatisfy(name -> assertThat(configurations())
                            .filteredOn(one -> (one.module() + ".tla").equals(name))
                            .extracting(one -> one.violated().isPresent())
                            .contains(true, false));
        }
    }

    private String check(Configuration configuration) throws Exception {
        Path output = scratch.resolve("output");
        Process tlc = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx512m",
                        "-cp",
                        Path.of(TLC.class
                                        .getProtectionDomain()
                                        .getCodeSource()
                                        .getLocation()
                                        .toURI())
                                .toString(),
                        TLC.class.getName(),
                        "-workers",
                        "1",
                        "-metadir",
                        scratch.toString(),
                        "-config",
                        configuration.file().toString(),
                        configuration.module())
                .directory(FOLDER.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(tlc.waitFor(2, TimeUnit.MINUTES)).as("TLC has ended").isTrue();
        } finally {
            tlc.destroyForcibly();
        }
        return Files.readString(output, StandardCharsets.UTF_8);
    }
}
