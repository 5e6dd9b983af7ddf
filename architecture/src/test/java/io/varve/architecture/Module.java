package io.varve.architecture;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.Source;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** The modules of this build, in the order in which they are described. */
enum Module {
    HTTP("http", true),
    STORE("store", true),
    PERSISTENCE("persistence", true),
    PROJECTION("projection", true),
    OBSERVE_MICROMETER("observe-micrometer", true),
    TESTKIT("testkit", true),
    SHOPPING_CART("examples/shopping-cart", false),
    BENCHMARK("benchmark", false),
    SIMULATION("simulation", false),
    CHAOS("chaos", false),
    INTEROP_PEER("interop/peer", false);

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private final String folder;
    private final boolean published;

    Module(String folder, boolean published) {
        this.folder = folder;
        this.published = published;
    }

    static Path root() {
        return ROOT;
    }

    static List<Module> published() {
        return Arrays.stream(values()).filter(module -> module.published).toList();
    }

    String folder() {
        return folder;
    }

    Path path() {
        return ROOT.resolve(folder);
    }

    /** Its main classes as they were built. */
    Path classes() {
        Path classes = path().resolve("target/classes");
        if (!Files.isDirectory(classes)) {
            throw new IllegalStateException(
                    classes + " does not exist: build all modules first (./varve test, or mvn test-compile).");
        }
        return classes;
    }

    /** Its main classes, as what they are and what they use. */
    JavaClasses imported() {
        return allImported()
                .that(DescribedPredicate.describe(
                        "in " + folder,
                        type -> type.getSource().map(this::holds).orElse(false)));
    }

    private boolean holds(Source source) {
        return Path.of(source.getUri()).startsWith(classes());
    }

    /** The main classes of all modules. */
    static JavaClasses allImported() {
        return All.IMPORTED;
    }

    /** Importing takes long, so it is done once. */
    private static final class All {
        private static final JavaClasses IMPORTED = new ClassFileImporter()
                .importPaths(Arrays.stream(values()).map(Module::classes).toList());
    }

    /** Its main sources. */
    List<Path> sources() {
        try (Stream<Path> files = Files.walk(path().resolve("src/main/java"))) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
