package io.varve.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** Some worlds in each build; {@code ./varve simulate} runs more. */
class SimulationTest {
    private static final int WORLDS = Integer.getInteger("varve.worlds", 200);

    @Test
    void everyPromiseIsKept_andWhatIsRareHappens() {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        int exit = Main.run(
                Options.of("--seeds", Integer.toString(WORLDS)), new PrintStream(said, true, StandardCharsets.UTF_8));
        String text = said.toString(StandardCharsets.UTF_8);
        assertThat(exit).as(text).isZero();
        assertThat(Arrays.stream(Rare.values())
                        .map(rare -> rare.name().toLowerCase(Locale.ROOT).replace('_', ' ')))
                .allSatisfy(rare -> assertThat(text).containsPattern("[1-9][0-9]* {2}" + rare));
    }

    @Test
    void sameSeed_isTheSameWorld() {
        Simulation one = new Simulation(1);
        Simulation two = new Simulation(1);
        one.run();
        two.run();
        assertThat(two.world().log()).isEqualTo(one.world().log()).hasSizeGreaterThan(1_000);
    }
}
