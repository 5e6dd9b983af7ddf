package io.varve.simulation.failsonce.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.simulation.failsonce.Report;
import io.varve.simulation.failsonce.UseCase;
import io.varve.simulation.failsonce.Way;
import java.util.EnumSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every request of every use case fails once in every way, and the use case's invariant holds after a fresh start. */
class FailsOnceTest {
    private static final Report<ServiceProcess> REPORT =
            new Report<>(StoreProcesses.KIND, EnumSet.allOf(Way.class), Runnable::run);

    static Stream<UseCase<ServiceProcess>> useCases() {
        return UseCases.all();
    }

    @ParameterizedTest
    @MethodSource("useCases")
    void everyRequestFailsOnce_andAfterAFreshStartAllIsAsItWasTold(UseCase<ServiceProcess> useCase) {
        assertThat(REPORT.run(useCase)).isEmpty();
    }

    @Test
    void useCases_areOfAllAreas_andHaveNamesOfTheirOwn() {
        assertThat(useCases().map(UseCase::toString)).hasSizeGreaterThan(30).doesNotHaveDuplicates();
        assertThat(useCases().map(UseCase::area)).contains("journal", "snapshots", "queries", "projections", "tools");
    }

    @AfterAll
    static void print() {
        System.out.println(REPORT);
    }
}
