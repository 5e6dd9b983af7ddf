package io.varve.testkit.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DynamoDBEngineTest {
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

    @Test
    void withoutNpm_theMessageSaysWhatToDo() {
        assertThatThrownBy(() -> new Dynoxide(properties("other", "value"), "no-such-npm").binary())
                .hasMessageContainingAll("no-such-npm", "Install npm", "varve.dynoxide", "@dynoxide/linux-x64@1.2.1");
        assertThat(home.resolve(".cache/varve")).isEmptyDirectory();
    }
}
