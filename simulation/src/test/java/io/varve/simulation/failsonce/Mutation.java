package io.varve.simulation.failsonce;

import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * A fault that is put in, to see whether use cases find it.
 *
 * @param module the module with the source file
 * @param type the class that is changed
 * @param before the text that is replaced, which its source must have exactly once, with white space of any kind
 * @param after what stands there instead
 * @param useCases what the names of the use cases contain that must find it
 */
public record Mutation(String name, String module, String type, String before, String after, String useCases) {
    private static final String SEPARATOR = System.getProperty("path.separator");

    /**
     * The first invariant that does not hold with it.
     *
     * @param harness has a static method {@code firstBroken} that runs the use cases with a name
     */
    public Optional<String> firstBroken(Path folder, Class<?> harness)
            throws IOException, ReflectiveOperationException {
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        compile(folder, classPath);
        List<URL> urls = new ArrayList<>();
        urls.add(folder.toUri().toURL());
        for (String entry : classPath.split(SEPARATOR, -1)) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        try (URLClassLoader loader = new OursFirst(urls)) {
            Object found = loader.loadClass(harness.getName())
                    .getMethod("firstBroken", String.class)
                    .invoke(null, useCases);
            return Optional.ofNullable((String) found);
        }
    }

    private void compile(Path folder, String classPath) throws IOException, MalformedURLException {
        String file = type.replace('.', '/') + ".java";
        Path source = folder.resolve(Path.of(file).getFileName());
        Files.writeString(source, in(Files.readString(Path.of("..", module, "src", "main", "java", file))));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<String> options = List.of("-proc:none", "-nowarn", "-d", folder.toString(), "-cp", classPath);
            if (!compiler.getTask(null, files, null, options, null, files.getJavaFileObjects(source))
                    .call()) {
                throw new IllegalStateException("The mutant '" + name + "' does not compile.");
            }
        }
    }

    private String in(String source) {
        Pattern pattern = Pattern.compile(
                Arrays.stream(before.split("\\s+", -1)).map(Pattern::quote).collect(joining("\\s+")));
        Matcher found = pattern.matcher(source);
        if (!found.find() || pattern.matcher(source).results().count() > 1) {
            throw new IllegalStateException(
                    "The mutant '" + name + "' is out of date: " + type + " must have '" + before + "' exactly once.");
        }
        return source.substring(0, found.start()) + after + source.substring(found.end());
    }

    @Override
    public String toString() {
        return name;
    }

    /** Defines all of Varve's classes itself, so that they find the mutant; takes everything else from where it is. */
    private static final class OursFirst extends URLClassLoader {
        OursFirst(List<URL> urls) {
            super(urls.toArray(URL[]::new), Mutation.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("io.varve.")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? findClass(name) : loaded;
            }
        }
    }
}
