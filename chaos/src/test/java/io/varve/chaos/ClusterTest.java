package io.varve.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A short run of the command with a small bank: a real cluster, a database and a node that are killed, and the check. */
class ClusterTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    @Test
    @Timeout(1200)
    @EnabledOnOs(OS.LINUX)
    void bank_survivesTheDeathOfItsDatabaseAndOfANode(@TempDir Path folder) throws Exception {
        PrintStream print = new PrintStream(out, true, StandardCharsets.UTF_8);
        int status = Main.run(
                List.of(
                        "--seed",
                        "11",
                        "--accounts",
                        "6",
                        "--faults",
                        "restart-database,kill-nodes",
                        "--out",
                        folder.toString()),
                print,
                print);
        String printed = out.toString(StandardCharsets.UTF_8);
        assertThat(status).as(printed).isZero();
        assertThat(printed)
                .contains(
                        "| restart-database | 1 |",
                        "| kill-nodes | 1 |",
                        "| starts of nodes | 4 |",
                        "| broken promises | 0 |");
        assertThat(folder).as("the evidence of a run without a finding").isEmptyDirectory();
    }
}
