package io.varve.chaos.soak;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The samples as a picture: a panel for each measure, a line for each node. */
final class SoakPlot {
    private static final int WIDTH = 720;
    private static final int PANEL = 170;
    private static final int LEFT = 60;
    private static final int RIGHT = 90;
    private static final int TOP = 34;
    private static final int BOTTOM = 26;
    private static final List<String> COLORS = List.of("#0b6e99", "#c4501b", "#3f7d20");

    private final List<Sample> samples;
    private final double end;

    private SoakPlot(List<Sample> samples) {
        this.samples = samples;
        this.end = Math.max(1, samples.stream().mapToLong(Sample::seconds).max().orElse(1));
    }

    /** The picture in SVG. */
    static String svg(String title, List<Sample> samples) {
        SoakPlot plot = new SoakPlot(samples);
        StringBuilder svg = new StringBuilder();
        svg.append(format(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\""
                        + " font-size=\"12\">%n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n",
                WIDTH, PANEL * Measure.values().length + TOP));
        svg.append(format("<text x=\"%d\" y=\"20\" font-size=\"14\">%s</text>%n", LEFT, title));
        int top = TOP;
        for (Measure measure : Measure.values()) {
            plot.panel(svg, measure, top);
            top += PANEL;
        }
        return svg.append("</svg>\n").toString();
    }

    private void panel(StringBuilder svg, Measure measure, int top) {
        double highest =
                Math.max(1, samples.stream().mapToDouble(measure::of).max().orElse(1) * 1.1);
        int floor = top + PANEL - BOTTOM;
        int ceiling = top + 20;
        svg.append(format("<text x=\"%d\" y=\"%d\">%s</text>%n", LEFT, top + 12, measure.label()));
        svg.append(format(
                "<path d=\"M%d %d V%d H%d\" fill=\"none\" stroke=\"#888\"/>%n", LEFT, ceiling, floor, WIDTH - RIGHT));
        svg.append(
                format("<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.0f</text>%n", LEFT - 6, ceiling + 10, highest));
        svg.append(format("<text x=\"%d\" y=\"%d\" text-anchor=\"end\">0</text>%n", LEFT - 6, floor));
        svg.append(
                format("<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.0f s</text>%n", WIDTH - RIGHT, floor + 16, end));
        List<Integer> nodes =
                samples.stream().map(Sample::node).distinct().sorted().toList();
        for (int i = 0; i < nodes.size(); i++) {
            int node = nodes.get(i);
            String color = COLORS.get(i % COLORS.size());
            String points = samples.stream()
                    .filter(sample -> sample.node() == node)
                    .map(sample -> format(
                            "%.1f,%.1f",
                            LEFT + sample.seconds() / end * (WIDTH - RIGHT - LEFT),
                            floor - measure.of(sample) / highest * (floor - ceiling)))
                    .collect(Collectors.joining(" "));
            svg.append(format("<polyline points=\"%s\" fill=\"none\" stroke=\"%s\"/>%n", points, color));
            svg.append(format(
                    "<text x=\"%d\" y=\"%d\" fill=\"%s\">node %d</text>%n",
                    WIDTH - RIGHT + 10, ceiling + 12 + 18 * i, color, node));
        }
    }

    private static String format(String text, Object... arguments) {
        return String.format(Locale.ROOT, text, arguments);
    }
}
