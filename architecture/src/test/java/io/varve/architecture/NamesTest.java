package io.varve.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** One name for one thing, in all modules. */
class NamesTest {
    /** What has the same name in Java's and in Scala's language by Pekko's custom; and what Java calls so. */
    private static final Set<String> SHARED = Set.of("DynamoDBReadJournal", "package-info", "Main");

    /** What stands for a user's code has a user's names. */
    private static final EnumSet<Module> USERS = EnumSet.of(Module.SHOPPING_CART);

    @Test
    void noTwoTypes_haveTheSameName() {
        Map<String, List<Path>> byName = new TreeMap<>();
        for (Module module : EnumSet.complementOf(USERS)) {
            for (Path source : module.sources()) {
                String name = source.getFileName().toString().replace(".java", "");
                byName.computeIfAbsent(name, key -> new ArrayList<>())
                        .add(Module.root().relativize(source));
            }
        }
        byName.keySet().removeAll(SHARED);
        byName.values().removeIf(sources -> sources.size() == 1);
        assertThat(byName).isEmpty();
    }
}
