package io.varve.persistence;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.persistence.journal.TestJournal;
import io.varve.testkit.DynamoDBLocal;
import java.io.File;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** A classic application need not have Pekko's typed modules. */
class WithoutTypedActorsTest {

    @Test
    void journalAndQueries_workWithoutThem() throws Exception {
        URI endpoint = DynamoDBLocal.shared().endpoint();
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !Path.of(entry).getFileName().toString().matches("pekko-.*typed.*\\.jar"))
                .collect(Collectors.joining(File.pathSeparator));
        Process application = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        classPath,
                        ClassicApplication.class.getName(),
                        endpoint.getHost(),
                        Integer.toString(endpoint.getPort()),
                        TestJournal.createTable())
                .redirectErrorStream(true)
                .start();
        try {
            String output = new String(application.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(output).contains("classic event event found");
        } finally {
            application.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
        }
    }
}
