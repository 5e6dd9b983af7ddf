package io.varve.chaos.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A leak is found, and what is flat after the beginning is not. */
class MeasureTest {
    private static final int SAMPLES = 40;

    @Test
    void nodesThatAreFlatAfterTheBeginning_haveNoFinding() {
        assertThat(Measure.findings(samples(null))).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void leakOfOneNode_isFound(Measure leaking) {
        assertThat(Measure.findings(samples(leaking)))
                .singleElement()
                .asString()
                .startsWith("Node 2: " + leaking.label() + " grew from ");
    }

    @Test
    void fewSamples_sayNothing() {
        assertThat(Measure.findings(samples(Measure.HEAP).subList(0, 10))).isEmpty();
    }

    @Test
    void plot_hasALineForEachNodeAndMeasure() {
        String svg = SoakPlot.svg("title", samples(null));
        assertThat(svg).startsWith("<svg ").endsWith("</svg>\n");
        assertThat(svg.split("<polyline ", -1)).hasSize(1 + 2 * Measure.values().length);
    }

    @Test
    void answerOfANode_isASample() {
        assertThat(Sample.of(10, 20, 3, "1000 200 30 4").csv()).isEqualTo("10,20,3,1000,200,30,4");
    }

    /** Two nodes, the second of which has more and more of something. */
    private static List<Sample> samples(@Nullable Measure leaking) {
        List<Sample> samples = new ArrayList<>();
        for (int i = 0; i < SAMPLES; i++) {
            int grown = Math.min(i, 5);
            for (int node = 1; node <= 2; node++) {
                int leaked = node == 2 ? i * 10 : 0;
                samples.add(new Sample(
                        i,
                        i,
                        node,
                        (50 + grown + (leaking == Measure.HEAP ? leaked : 0)) * 1_000_000L,
                        (5 + (leaking == Measure.PROJECTIONS ? leaked : 0)) * 1_000_000L,
                        40 + grown + (leaking == Measure.THREADS ? leaked : 0),
                        20 + grown + (leaking == Measure.SOCKETS ? leaked : 0)));
            }
        }
        return samples;
    }
}
