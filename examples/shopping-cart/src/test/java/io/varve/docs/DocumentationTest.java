package io.varve.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The documentation names nothing that is not there, and leaves out no setting. */
class DocumentationTest {
    private static final Pattern DEPENDENCY = Pattern.compile("([\\w.-]+:[\\w.-]+):jar:");
    private static final Config REFERENCE = ConfigFactory.defaultReference();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "README.md",
                "docs/design/http-client.md",
                "docs/guide/journal.md",
                "docs/guide/operations.md",
                "docs/guide/projection-operations.md",
                "docs/guide/projections.md",
                "docs/guide/queries.md",
                "docs/guide/snapshots.md",
                "docs/guide/tables.md",
                "docs/guide/views.md"
            })
    void javaBlocks_areCompiled(String page) {
        String here = "examples/shopping-cart/src/test/java/io/varve/docs/";
        String compiled = withoutIndent(Docs.read(here + "Notes.java")
                + Docs.read(here + "GuideSnippets.java")
                + Docs.read(here + "QuerySnippets.java")
                + Docs.read(here + "OperationSnippets.java")
                + Docs.read(here + "ProjectionSnippets.java")
                + Docs.read(here + "RebuildSnippets.java")
                + Docs.read(here + "ProjectionSnippetsTest.java")
                + Docs.read(here + "ViewSnippets.java")
                + Docs.read("http/src/test/java/io/varve/http/SdkClientTest.java"));
        assertThat(Docs.blocks(page, "java"))
                .isNotEmpty()
                .allSatisfy(block -> assertThat(compiled).contains(withoutIndent(block)));
    }

    private static String withoutIndent(String code) {
        return code.lines().map(String::strip).collect(Collectors.joining("\n"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "README.md",
                "docs/guide/journal.md",
                "docs/guide/projection-operations.md",
                "docs/guide/projections.md",
                "docs/guide/queries.md",
                "docs/guide/snapshots.md",
                "docs/guide/tables.md"
            })
    void hoconBlocks_setOnlyWhatExists(String page) {
        for (String block : Docs.blocks(page, "hocon")) {
            Config set =
                    ConfigFactory.parseString(block).withFallback(REFERENCE).resolve();
            for (Map.Entry<String, ConfigValue> setting : set.entrySet()) {
                if (setting.getKey().startsWith("pekko.management.")) {
                    continue; // of a module that is not here
                }
                String path = setting.getKey()
                        .replaceFirst("^second-projection-dynamodb\\.", "pekko.projection.dynamodb.")
                        .replaceFirst("^second-client\\.", "pekko.persistence.dynamodb.client.")
                        .replaceFirst(
                                "time-to-live\\.projections\\.(\"[^\"]+\"|[a-z-]+)", "time-to-live.projection-defaults")
                        .replaceFirst("^[a-z-]+-read-journal\\.", "dynamodb-read-journal.")
                        .replaceFirst("^(?!dynamodb-read-)[a-z-]+-journal\\.", "dynamodb-journal.");
                assertThat(REFERENCE.hasPathOrNull(path)).as(page + ": " + path).isTrue();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "dynamodb-journal, docs/guide/journal.md",
        "dynamodb-snapshot-store, docs/guide/snapshots.md",
        "dynamodb-read-journal, docs/guide/queries.md",
        "pekko.projection.dynamodb, docs/guide/projections.md",
        "pekko.persistence.dynamodb.client, docs/guide/journal.md",
        "pekko.persistence.dynamodb.tables, docs/guide/tables.md",
        "pekko.persistence.dynamodb.health-check, docs/guide/projection-operations.md"
    })
    void everySetting_isExplainedWithItsDefault(String section, String page) {
        String text = Docs.read(page) + Docs.read("docs/guide/migrating.md");
        REFERENCE.getConfig(section).entrySet().stream()
                .filter(setting -> !setting.getKey().startsWith("dispatcher."))
                .filter(setting ->
                        section.equals("dynamodb-journal") || !setting.getKey().startsWith("aws-client-config."))
                .forEach(setting -> {
                    String value = String.valueOf(setting.getValue().unwrapped());
                    String name = setting.getKey().replace("aws-client-config.", "");
                    assertThat(text)
                            .as(section + "." + setting.getKey())
                            .contains(
                                    setting.getKey().equals(name)
                                            ? "| `" + name + "` | " + (value.isEmpty() ? "empty" : "`" + value + "`")
                                                    + " |"
                                            : "`" + name + "`");
                });
    }

    @Test
    void links_leadToFilesAndHeadings() throws IOException {
        Pattern link = Pattern.compile("\\]\\(([^)#\\s]*)(?:#([^)\\s]+))?\\)");
        for (Path page : Docs.pages()) {
            Matcher links = link.matcher(Files.readString(page));
            while (links.find()) {
                if (links.group(1).contains("://")) {
                    continue;
                }
                Path target = links.group(1).isEmpty() ? page : page.resolveSibling(links.group(1));
                assertThat(target).as(page + " → " + links.group()).exists();
                if (links.group(2) != null) {
                    assertThat(anchors(target)).as(page + " → " + links.group()).contains(links.group(2));
                }
            }
        }
    }

    /** The anchors that headings get where such pages are shown. */
    private static List<String> anchors(Path page) throws IOException {
        String text = Files.readString(page).replaceAll("(?ms)^```.*?^```", "");
        return Docs.matches("(?m)^#+ (.*)$", text).stream()
                .map(heading -> heading.toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N}_ -]", "")
                        .strip()
                        .replace(' ', '-'))
                .toList();
    }

    @Test
    void exceptionsAndTests_thatAreNamed_exist() throws IOException {
        for (Path page : Docs.pages()) {
            String text = Files.readString(page);
            for (String name : Docs.matches("`([A-Z]\\w*(?:Exception|Test))\\b", text)) {
                assertThat(!Docs.sourcesOf(name).isEmpty() || isOfDynamoDB(name))
                        .as(page + ": " + name)
                        .isTrue();
            }
            for (String test : Docs.matches("`(\\w+Test\\.\\w+)`", text)) {
                String[] parts = test.split("\\.", -1);
                boolean found = false;
                for (Path source : Docs.sourcesOf(parts[0])) {
                    found |= Files.readString(source).contains(" " + parts[1] + "(");
                }
                assertThat(found).as(page + ": " + test).isTrue();
            }
        }
    }

    private static boolean isOfDynamoDB(String exception) {
        try {
            Class.forName("software.amazon.awssdk.services.dynamodb.model." + exception);
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    @Test
    void readme_namesThisVersion() {
        String version = Docs.matches(
                        "<artifactId>varve-parent</artifactId>\\s*<version>([^<]+)<", Docs.read("pom.xml"))
                .get(0);
        assertThat(Docs.blocks("README.md", "xml")).singleElement().asString().contains("<version>" + version + "<");
    }

    /** Compares what modules bring to their users with the page, in the order of its blocks. */
    @Test
    void dependencies_areThoseThatTheyBring() {
        List<String> blocks = Docs.blocks("docs/guide/dependencies.md", "text");
        Set<String> http = dependencies("http");
        Set<String> store = dependencies("store");
        Set<String> persistence = dependencies("persistence");
        assertThat(blocks)
                .containsExactly(
                        lines(http),
                        lines(without(store, http)),
                        lines(without(persistence, store)),
                        lines(without(dependencies("projection"), persistence)),
                        lines(without(dependencies("observe-micrometer"), persistence)),
                        lines(dependencies("testkit")));
    }

    private static String lines(Collection<String> names) {
        return names.stream().map(name -> name + "\n").collect(Collectors.joining());
    }

    /** What is optional for others does not come with them. */
    private static List<String> without(Set<String> dependencies, Set<String> others) {
        return dependencies.stream()
                .filter(name -> !others.contains(name) || name.endsWith(" (optional)"))
                .toList();
    }

    private static Set<String> dependencies(String module) {
        Set<String> names = new TreeSet<>();
        for (String line :
                Docs.read(module + "/target/dependencies.txt").lines().toList()) {
            Matcher matcher = DEPENDENCY.matcher(line);
            if (matcher.find()) {
                names.add(matcher.group(1) + (line.contains("(optional)") ? " (optional)" : ""));
            }
        }
        return names;
    }

    @Test
    void configurationReference_isThatOfTheModules() {
        assertThat(Docs.blocks("docs/guide/configuration.md", "hocon"))
                .containsExactly(reference("store"), reference("persistence"), reference("projection"));
    }

    private static String reference(String module) {
        return Docs.read(module + "/src/main/resources/reference.conf");
    }

    @Test
    void messagesOfTroubleshooting_areThoseOfTheSources() {
        String sources = Stream.of("http", "store", "persistence", "projection")
                .flatMap(module -> Docs.sources(module + "/src/main/java"))
                .map(source -> source.replaceAll("\"\\s*\\+\\s*\"", ""))
                .collect(Collectors.joining("\n"));
        List<String> messages = Docs.matches("(?m)^\\| `([^`]+)` \\|", Docs.read("docs/guide/troubleshooting.md"));
        assertThat(messages)
                .hasSizeGreaterThan(30)
                .allSatisfy(message -> assertThat(sources).contains(message));
    }

    @Test
    void meters_areThoseOfTheSources() {
        String sources = Docs.sources("observe-micrometer/src/main/java").collect(Collectors.joining("\n"));
        List<String> documented =
                Docs.matches("(?m)^\\| `(varve\\.[a-z.]+)` \\|", Docs.read("docs/guide/operations.md"));
        assertThat(Set.copyOf(documented))
                .containsExactlyInAnyOrderElementsOf(Docs.matches("\"(varve\\.[a-z.]+)\"", sources));
    }
}
