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
    void eachRun_goesOnWhereTheLastOneStopped() {
        String data = folder.resolve("tables").toString();

        assertThat(run("--data", data)).as(complaint()).isZero();
        assertThat(printed())
                .contains("was created", "The cart is new", "event 3", "2 apple, 1 bread, 3 pear")
                .contains("[1 BatchGetItem, 1 Query, 1 Query (snapshot)]")
                .containsPattern("event 1 +added 2 apple +\\[1 PutItem\\]")
                .contains("A query of all carts finds 3 events.  [1 GetItem, 64 Query]")
                .contains("put into carts: 2 apple, 1 bread, 3 pear; ordered: 0 times.");

        assertThat(run("--data", data)).as(complaint()).isZero();
        assertThat(printed())
                .contains("is there from before", "Recovered 3 events from before", "event 4", "1 PutItem", "event 6")
                .doesNotContain("event 3 ", "event 7");

        assertThat(run("--data", data)).as(complaint()).isZero();
        assertThat(printed())
                .contains("Recovered 6 events from before", "checked out: order 1", "In the cart: nothing; orders: 1")
                .contains("put into carts: 3 apple, 1 bread, 2 coffee, 3 pear; ordered: 1 times.");

        assertThat(run("--data", data)).as(complaint()).isZero();
        assertThat(printed())
                .containsPattern("event 9 +added 1 bread +\\[1 PutItem\\]")
                .containsPattern("event 10 +added 3 pear +\\[1 PutItem, 1 PutItem \\(snapshot\\)\\]");

        assertThat(run("--data", data)).as(complaint()).isZero();
        assertThat(printed())
                .contains(
                        "Recovered 10 events from before. In the cart: 2 apple, 1 bread, 3 pear; orders: 1",
                        "event 13");
        assertThat(complaint()).isEmpty();
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
        assertThat(run("--nodes")).isEqualTo(2);
        assertThat(complaint()).contains("unknown option '--nodes'").hasLineCount(1);
        assertThat(run("--data")).isEqualTo(2);
        assertThat(complaint()).contains("--data needs a folder").hasLineCount(1);
    }

    @Test
    void help_namesTheOptions() {
        assertThat(run("--help")).isZero();
        assertThat(printed()).contains("--data DIR");
    }
}
