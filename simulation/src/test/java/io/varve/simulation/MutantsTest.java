package io.varve.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults that are put in must be found. Here are some that few worlds find; {@code ./varve simulate --mutants} runs all of them. */
class MutantsTest {
    private static final Path ROOT = Path.of("..");
    private static final int FEW_WORLDS = 50;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "condition-of-a-put-dropped",
                "unprocessed-keys-ignored",
                "order-not-looked-at",
                "floor-not-looked-at"
            })
    void fault_isFound(String name) {
        Mutant mutant = Mutants.all().stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow();
        assertThat(mutant.within()).isLessThanOrEqualTo(FEW_WORLDS);
        assertThat(new MutantRun(ROOT).run(mutant, 0, mutant.within()))
                .as("%s: %s. The simulation is too weak.", mutant.name(), mutant.breaks())
                .isPresent();
    }

    @Test
    void allMutants_areOfTheSourcesAsTheyAre() throws IOException {
        for (Mutant mutant : Mutants.all()) {
            assertThat(mutant.in(Files.readString(ROOT.resolve(mutant.file())))).contains(mutant.after());
        }
        assertThat(Mutants.all().stream().map(Mutant::name))
                .hasSizeGreaterThan(20)
                .doesNotHaveDuplicates();
    }
}
