package io.varve.example.shoppingcart.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MainTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    Path folder;

    private int run(String... arguments) {
        out.reset();
        err.reset();
        return Main.run(List.of(arguments), print(out), print(err));
    }

    private static PrintStream print(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }

    private String printed() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private String complaint() {
        return err.toString(StandardCharsets.UTF_8);
    }

    @Test
    void folderThatAnotherDemoUses_isRefused() throws IOException {
        try (DataFolder held = DataFolder.open(folder)) {
            assertThat(run("--data", held.path().toString())).isEqualTo(2);
        }
        assertThat(complaint()).contains("another demo is using").hasLineCount(1);
    }

    @Test
    void dataThatIsAFile_isRefused() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        assertThat(run("--data", file.toString())).isEqualTo(2);
        assertThat(complaint()).contains(file.toString(), "is a file").hasLineCount(1);
        assertThat(run("--data", file.resolve("below").toString())).isEqualTo(2);
        assertThat(complaint()).contains("cannot be used").hasLineCount(1);
    }

    @Test
    void wrongOptions_areRefused() {
        assertRefused("unknown option '--node'", "--node");
        assertRefused("--data needs a folder", "--data");
        assertRefused("--nodes needs a whole number from 1 to 9", "--nodes");
        assertRefused("--nodes needs a whole number from 1 to 9, not '0'", "--nodes", "0");
        assertRefused("--load needs a whole number from 0 to 10000, not 'much'", "--load", "much");
        assertRefused("--port needs a whole number from 0 to 65535, not '70000'", "--port", "70000");
    }

    private void assertRefused(String complaint, String... arguments) {
        assertThat(run(arguments)).isEqualTo(2);
        assertThat(complaint()).contains(complaint).hasLineCount(1);
    }

    @Test
    void help_namesTheOptions() {
        assertThat(run("--help")).isZero();
        assertThat(printed()).contains("--data DIR", "--port P", "--nodes N", "--load N");
    }
}
