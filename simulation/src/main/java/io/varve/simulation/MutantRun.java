package io.varve.simulation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compiles the source file of a mutant and runs worlds in a class loader where the rest of Varve uses it. */
final class MutantRun {
    private static final String OURS = "io.varve.";

    private final Path root;
    private final List<Path> classPath;

    /** Mutants of the sources in a checkout. */
    MutantRun(Path root) {
        this.root = root;
        String path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        this.classPath = Arrays.stream(path.split(System.getProperty("path.separator"), -1))
                .filter(entry -> !entry.isEmpty())
                .map(Path::of)
                .toList();
    }

    /** The first promise that is broken in worlds from a seed on, and that the store without the fault keeps in the same world. */
    Optional<Found> run(Mutant mutant, long first, long worlds) {
        try {
            Path classes = Files.createTempDirectory("mutant");
            try {
                compile(mutant, classes);
                return find(classes, mutant.choice(), first, worlds);
            } finally {
                delete(classes);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void compile(Mutant mutant, Path classes) throws IOException {
        Path source = classes.resolve(mutant.type().substring(mutant.type().lastIndexOf('.') + 1) + ".java");
        Files.writeString(source, mutant.in(Files.readString(root.resolve(mutant.file()))));
        JavaCompiler compiler = Optional.ofNullable(ToolProvider.getSystemJavaCompiler())
                .orElseThrow(() -> new IllegalStateException("Mutants are compiled: a JDK is needed."));
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<String> options = List.of(
                    "-proc:none",
                    "-nowarn",
                    "-d",
                    classes.toString(),
                    "-cp",
                    String.join(
                            System.getProperty("path.separator"),
                            classPath.stream().map(Path::toString).toList()));
            if (!compiler.getTask(null, files, null, options, null, files.getJavaFileObjects(source))
                    .call()) {
                throw new IllegalStateException("The mutant '" + mutant.name() + "' does not compile.");
            }
        }
    }

    private Optional<Found> find(Path classes, Choice choice, long first, long worlds) throws IOException {
        List<URL> urls = new ArrayList<>();
        urls.add(url(classes));
        classPath.forEach(entry -> urls.add(url(entry)));
        try (URLClassLoader loader = new OursFirst(urls)) {
            Method search = loader.loadClass(Found.class.getName())
                    .getMethod("first", long.class, long.class, String.class, String.class);
            String with = Choice.labels(choice.with());
            String without = Choice.labels(choice.without());
            for (long seed = first; seed < first + worlds; seed++) {
                Object broken = search.invoke(null, seed, first + worlds - seed, with, without);
                if (broken == null) {
                    return Optional.empty();
                }
                Found found = Found.parse((String) broken);
                seed = found.seed();
                if (Found.first(seed, 1, with, without) == null) {
                    return Optional.of(new Found(seed, seed - first + 1, found.promise()));
                }
            }
            return Optional.empty();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static URL url(Path path) {
        try {
            return path.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        }
    }

    /** Defines all of Varve's classes itself, so that they find the mutant; takes everything else from where it is. */
    private static final class OursFirst extends URLClassLoader {
        OursFirst(List<URL> urls) {
            super(urls.toArray(URL[]::new), MutantRun.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith(OURS)) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? findClass(name) : loaded;
            }
        }
    }
}
