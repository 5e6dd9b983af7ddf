package io.varve.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the command takes. */
class ChaosTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @Test
    void inputThatCannotBeUsed_isToldInOneLine() throws Exception {
        assertThat(run("--faults", "rain")).isEqualTo(2);
        assertThat(run("--seed", "x")).isEqualTo(2);
        assertThat(run("--minutes")).isEqualTo(2);
        assertThat(run("--rain")).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8).lines())
                .hasSize(4)
                .allSatisfy(line -> assertThat(line).startsWith("varve chaos: "));
    }

    @Test
    void help_listsTheFaults() throws Exception {
        assertThat(run("--help")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("--minutes", "--soak", "split-brain");
    }

    private int run(String... arguments) throws Exception {
        return Main.run(
                List.of(arguments),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }
}
