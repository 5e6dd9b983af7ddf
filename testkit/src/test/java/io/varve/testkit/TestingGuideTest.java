package io.varve.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What the guide's page Testing shows is what the build runs. */
final class TestingGuideTest {

    @Test
    void guide_holdsTheWholeExample() throws IOException {
        String example =
                Files.readString(Path.of("src", "test", "java", "io", "varve", "docs", "LostResponseTest.java"));

        assertThat(guide()).contains("```java\n" + example.substring(example.indexOf("import ")) + "```");
    }

    @Test
    void guide_namesTheVersions() throws IOException {
        String version = Files.readString(Path.of("pom.xml")).split("</?version>", -1)[1];

        assertThat(guide())
                .contains("<artifactId>varve-testkit</artifactId>\n  <version>" + version + "</version>")
                .contains(System.getProperty("dynamodb-local.version"));
    }

    private static String guide() throws IOException {
        return Files.readString(Path.of("..", "docs", "guide", "testing.md"));
    }
}
