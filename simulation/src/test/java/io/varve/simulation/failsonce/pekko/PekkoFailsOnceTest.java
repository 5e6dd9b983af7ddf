package io.varve.simulation.failsonce.pekko;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.simulation.failsonce.Report;
import io.varve.simulation.failsonce.UseCase;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every request of every use case on Pekko fails once in several ways, and the use case's invariant holds afterwards. */
class PekkoFailsOnceTest {
    private static final Report<PekkoProcess> REPORT = UseCases.report();

    static Stream<UseCase<PekkoProcess>> useCases() {
        return UseCases.all();
    }

    @ParameterizedTest
    @MethodSource("useCases")
    void everyRequestFailsOnce_andAfterwardsAllIsAsItWasTold(UseCase<PekkoProcess> useCase) {
        assertThat(REPORT.run(useCase)).isEmpty();
    }

    @Test
    void useCases_areOfAllAreas_andHaveNamesOfTheirOwn() {
        assertThat(useCases().map(UseCase::toString)).hasSizeGreaterThan(30).doesNotHaveDuplicates();
        assertThat(useCases().map(UseCase::area))
                .contains("journal plugin", "snapshot plugin", "read journal", "projection", "management");
    }

    @AfterAll
    static void print() {
        System.out.println(REPORT);
    }
}
