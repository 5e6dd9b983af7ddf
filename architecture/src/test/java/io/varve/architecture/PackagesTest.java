package io.varve.architecture;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Packages lie above each other, and the documentation says which uses which. */
class PackagesTest {
    private static final String PAGE = "docs/design/architecture.md";
    private static final String BEGIN = "<!-- packages: written by PackagesTest -->\n";
    private static final String END = "<!-- end of packages -->\n";
    private static final Pattern DESCRIPTION = Pattern.compile("(?s)/\\*\\*(.*?)\\*/\\s*@NullMarked");

    private final Packages packages = new Packages(Module.allImported());

    @Test
    void noPackages_useEachOther() {
        assertThat(packages.all()).isNotEmpty().allSatisfy(packages::height);
    }

    @Test
    void tableOfPackages_isThatOfTheCode() throws IOException {
        String expected = BEGIN + table() + END;
        Path written = Path.of("target/packages.md");
        Files.createDirectories(written.getParent());
        Files.writeString(written, expected);
        String page = Files.readString(Module.root().resolve(PAGE));
        assertThat(page)
                .as(
                        "%s must have the packages as they are. If they are as wanted, take what stands in architecture/%s",
                        PAGE, written)
                .contains(expected);
        assertThat(page.split(Pattern.quote(BEGIN), -1)).hasSize(2);
    }

    private String table() throws IOException {
        StringBuilder text = new StringBuilder();
        for (Module module : Module.values()) {
            text.append("\n### Module `").append(module.folder()).append("`\n\n");
            text.append("| package | uses | what it is |\n|---|---|---|\n");
            for (String name : topToBottom(module)) {
                text.append("| `").append(shortened(name)).append("` | ");
                text.append(packages.usedBy(name).stream()
                        .sorted(Comparator.<String>comparingInt(packages::height)
                                .reversed()
                                .thenComparing(Comparator.naturalOrder()))
                        .map(used -> "`" + shortened(used) + "`")
                        .collect(joining(", ")));
                text.append(" | ").append(description(module, name)).append(" |\n");
            }
        }
        return text.append('\n').toString();
    }

    private List<String> topToBottom(Module module) {
        SortedSet<String> names = new TreeSet<>();
        module.imported().forEach(type -> names.add(type.getPackageName()));
        return names.stream()
                .sorted(Comparator.<String>comparingInt(packages::height)
                        .reversed()
                        .thenComparing(Comparator.naturalOrder()))
                .toList();
    }

    private static String shortened(String packageName) {
        return packageName.replaceFirst("^io\\.varve\\.", "");
    }

    /** The first sentence of the package's description, without its markup. */
    private static String description(Module module, String packageName) throws IOException {
        Path file = module.path().resolve("src/main/java/" + packageName.replace('.', '/') + "/package-info.java");
        assertThat(file).as("each package tells what it is").exists();
        Matcher matcher = DESCRIPTION.matcher(Files.readString(file));
        assertThat(matcher.find())
                .as("%s has a description and is @NullMarked", file)
                .isTrue();
        String text = matcher.group(1)
                .replaceAll("\\n \\* ?", " ")
                .replaceAll("\\{@(?:link|code)\\s+(?:[\\w.]+\\.)?([^}]+)}", "`$1`")
                .replaceAll("<[^>]+>", "")
                .replaceAll("\\s+", " ")
                .strip();
        int end = text.indexOf(". ");
        return (end < 0 ? text : text.substring(0, end + 1)).replaceFirst("\\.$", "");
    }
}
