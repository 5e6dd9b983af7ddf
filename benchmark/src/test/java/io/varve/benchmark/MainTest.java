package io.varve.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MainTest {

    @Test
    void usage_namesEveryMeasurement() {
        assertThat(Main.DEFAULTS.keySet())
                .allSatisfy(command -> assertThat(Main.USAGE).containsPattern("\n  " + command + " "))
                .hasSize(5);
    }

    @Test
    void documentation_namesEveryOptionWithItsDefault() throws Exception {
        String page = Files.readString(Path.of("..", "docs", "design", "performance.md"));
        Main.DEFAULTS.forEach((command, options) -> options.forEach((option, value) -> assertThat(page)
                .as("the option %s of %s", option, command)
                .containsPattern("\\[--" + option + (value.isEmpty() ? " \"" : " " + value + "\\]"))));
    }

    @Test
    void whatIsNotKnown_isRefused_beforeAnythingIsMeasured() {
        assertThatThrownBy(() -> run()).hasMessage("say what to measure");
        assertThatThrownBy(() -> run("--out", "x", "seed")).hasMessage("there is no seed");
        assertThatThrownBy(() -> run("cost", "--runs", "3")).hasMessageStartingWith("there is no option --runs");
        assertThatThrownBy(() -> run("cost", "--out")).hasMessage("--out needs a value");
        assertThatThrownBy(() -> run("speed", "--backends", "aws")).hasMessageContaining("--backends knows no \"aws\"");
        assertThatThrownBy(() -> run("speed", "--tls", "1.3")).hasMessageContaining("--tls needs on or off");
        assertThatThrownBy(() -> run("scale", "--runs", "0")).hasMessageContaining("--runs needs a number from 1 on");
    }

    private static void run(String... words) throws Exception {
        Main.run(new ArrayList<>(List.of(words)));
    }
}
