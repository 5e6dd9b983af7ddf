package io.varve.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** Some worlds in each build; {@code ./varve simulate} runs more. */
class SimulationTest {
    private static final int WORLDS = Integer.getInteger("varve.worlds", 300);

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
    void sameSeed_isTheSameWorld_andALogChangesNothing() {
        Simulation one = new Simulation(3, Choice.NONE, true);
        Simulation two = new Simulation(3, Choice.NONE, true);
        Simulation silent = new Simulation(3, Choice.NONE, false);
        one.run();
        two.run();
        silent.run();
        assertThat(two.world().log()).isEqualTo(one.world().log()).hasSizeGreaterThan(1_000);
        assertThat(silent.world().log()).isEmpty();
        assertThat(silent.world().met()).isEqualTo(one.world().met());
        assertThat(silent.world().random().nextLong())
                .isEqualTo(one.world().random().nextLong());
    }

    @Test
    void worldWithOrWithoutAFeature_hasAllOthersAsBefore() {
        for (long seed = 0; seed < 50; seed++) {
            Mix all = new World(seed, Choice.NONE, false).mix();
            Choice without = Choice.parse("", "deletes");
            Mix fewer = new World(seed, without, false).mix();
            Mix more = new World(seed, Choice.parse("deletes", ""), false).mix();
            assertThat(fewer.level(Feature.DELETES)).isEqualTo(Feature.Level.OFF);
            assertThat(more.level(Feature.DELETES)).isEqualTo(Feature.Level.VERY_OFTEN);
            assertThat(EnumSet.complementOf(EnumSet.of(Feature.DELETES))).allSatisfy(feature -> {
                assertThat(fewer.level(feature)).isEqualTo(all.level(feature));
                assertThat(more.level(feature)).isEqualTo(all.level(feature));
            });
        }
    }

    @Test
    void featuresOfTheCommandLine_areThoseOfWorlds() {
        Options options = Options.of("--with", "visits", "--without", "deletes,pages-torn", "--shrink");

        assertThat(options.choice().with()).containsExactly(Feature.VISITS);
        assertThat(options.choice().without()).containsExactlyInAnyOrder(Feature.DELETES, Feature.PAGES_TORN);
        assertThat(options.choice().options()).isEqualTo(" --with visits --without pages-torn,deletes");
        assertThatThrownBy(() -> Options.of("--without", "deletion"))
                .hasMessageContaining("'deletion'")
                .hasMessageContaining("pages-torn");
    }

    @Test
    void worldThatKeepsItsPromises_isNotShrunk() {
        assertThat(Shrinking.of(1, Choice.NONE)).isEmpty();
    }
}
