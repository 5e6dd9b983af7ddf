package io.varve.testkit.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DynamoDBEngineTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @TempDir
    private Path home;

    private Properties properties(String name, String value) {
        Properties properties = new Properties();
        properties.setProperty("user.home", home.toString());
        properties.setProperty(name, value);
        return properties;
    }

    @Test
    void dynamoDBLocal_unlessAnotherIsNamed() {
        assertThat(DynamoDBEngine.chosen(new Properties())).isEqualTo(DynamoDBEngine.LOCAL);
        assertThat(DynamoDBEngine.chosen(properties(DynamoDBEngine.PROPERTY, "local")))
                .isEqualTo(DynamoDBEngine.LOCAL);
        assertThat(DynamoDBEngine.chosen(properties(DynamoDBEngine.PROPERTY, "dynoxide")))
                .isEqualTo(DynamoDBEngine.DYNOXIDE);
    }

    @Test
    void unknownEngine_isRefused() {
        assertThatThrownBy(() -> DynamoDBEngine.chosen(properties(DynamoDBEngine.PROPERTY, "dynalite")))
                .hasMessage("The system property varve.engine is 'dynalite', but must be local or dynoxide.");
    }

    @Test
    void binaryThatIsGiven_isTaken() throws IOException {
        Path binary = Files.createFile(home.resolve("dynoxide"));
        assertThat(binary.toFile().setExecutable(true)).isTrue();
        assertThat(new Dynoxide(properties(Dynoxide.BINARY_PROPERTY, binary.toString())).command(Optional.of(home)))
                .startsWith(binary.toString(), "--port")
                .endsWith("--db-path", home.resolve("dynoxide.db").toString());
    }

    @Test
    void fileThatIsNoProgram_isNamed() {
        assertThatThrownBy(() -> new Dynoxide(properties(Dynoxide.BINARY_PROPERTY, "/no/where")).binary())
                .hasMessageContainingAll("varve.dynoxide", "/no/where");
    }

    private Dynoxide onLinux(String npm, Duration longestFetch) {
        Properties properties = properties("os.name", "Linux");
        properties.setProperty("os.arch", "amd64");
        return new Dynoxide(properties, npm, longestFetch);
    }

    private String program(String... lines) throws IOException {
        Path program = Files.write(home.resolve("npm"), List.of(lines));
        assertThat(program.toFile().setExecutable(true)).isTrue();
        return program.toString();
    }

    @Test
    void withoutNpm_theMessageSaysWhatToDo() {
        assertThatThrownBy(() -> onLinux("no-such-npm", MINUTE).binary())
                .isInstanceOf(EngineUnavailableException.class)
                .hasMessageContainingAll("no-such-npm", "Install npm", "varve.dynoxide", "@dynoxide/linux-x64@1.2.1");
        assertThat(home.resolve(".cache/varve")).isEmptyDirectory();
    }

    @Test
    void npmThatFails_isQuoted() throws IOException {
        String npm = program("#!/bin/sh", "echo registry says no", "exit 1");
        assertThatThrownBy(() -> onLinux(npm, MINUTE).binary())
                .isInstanceOf(EngineUnavailableException.class)
                .hasMessageContainingAll("says: registry says no", "varve.dynoxide");
        assertThat(home.resolve(".cache/varve")).isEmptyDirectory();
    }

    @Test
    void npmWhoseRegistryDoesNotAnswer_isEnded() throws IOException {
        String npm = program("#!/bin/sh", "exec tail -f " + home.resolve("npm"));
        assertThatThrownBy(() -> onLinux(npm, Duration.ofMillis(200)).binary())
                .isInstanceOf(EngineUnavailableException.class)
                .hasMessageContaining("has not ended within 0.2 seconds");
        assertThat(home.resolve(".cache/varve")).isEmptyDirectory();
        ProcessHandle.allProcesses()
                .filter(process -> process.info().commandLine().orElse("").contains(home.toString()))
                .forEach(process -> process.onExit().join());
    }

    @Test
    void otherPlatform_isNamed() {
        Properties properties = properties("os.name", "Mac OS X");
        properties.setProperty("os.arch", "aarch64");
        assertThatThrownBy(() -> new Dynoxide(properties).binary())
                .isInstanceOf(EngineUnavailableException.class)
                .hasMessageContainingAll("Mac OS X aarch64", "varve.dynoxide");
    }
}
