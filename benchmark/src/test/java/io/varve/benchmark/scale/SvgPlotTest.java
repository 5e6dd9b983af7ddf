package io.varve.benchmark.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.benchmark.report.Report;
import io.varve.benchmark.report.SvgPlot;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

class SvgPlotTest {

    @Test
    void plot_isAPictureWithALineForEachSide_betweenWholePowersOfTen() throws Exception {
        Growth growth = new Growth("events", "Sizes < 1000 & more", "events", List.of("ms"));
        growth.add(100, "Varve", List.of(20.0));
        growth.add(1000, "Varve", List.of(100.0));
        growth.add(100, "predecessor", List.of(30.0));
        Report report = growth.report();

        String svg =
                Objects.requireNonNull(report.plots().get("scale-events.svg")).svg();

        Document document = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
        assertThat(document.getElementsByTagName("polyline").getLength()).isEqualTo(2);
        assertThat(document.getElementsByTagName("circle").getLength()).isEqualTo(3);
        // x: 100 to 1000 from 80 to 520; y: 10 to 100 from 380 up to 50
        assertThat(svg).contains("points=\"80.0,280.7 520.0,50.0\"");
        assertThat(report.figures().get(1))
                .isEqualTo(Map.of("growth", "events", "events", 1000, "side", "Varve", "ms", 100.0));
    }

    @Test
    void whatHasNoLogarithm_isRefused() {
        assertThatThrownBy(() -> new SvgPlot.Point(0, 1)).hasMessageContaining("has no place for 0.0, 1.0");
    }
}
