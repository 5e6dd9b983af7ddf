package io.varve.benchmark.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Lines over two logarithmic axes, as an SVG picture. */
public record SvgPlot(String title, String xLabel, String yLabel, Map<String, List<Point>> lines) {
    private static final int WIDTH = 720;
    private static final int HEIGHT = 440;
    private static final int LEFT = 80;
    private static final int RIGHT = 200;
    private static final int TOP = 50;
    private static final int BOTTOM = 60;
    private static final List<String> COLORS = List.of("#0b6e99", "#c4501b", "#3f7d20", "#7a3e9d");

    /** A place on a line; both numbers are positive. */
    public record Point(double x, double y) {
        public Point {
            if (!(x > 0 && y > 0)) {
                throw new IllegalArgumentException("A logarithmic axis has no place for " + x + ", " + y);
            }
        }
    }

    /** The picture. */
    public String svg() {
        Axis x = Axis.of(
                lines.values().stream().flatMap(List::stream).map(Point::x).toList());
        Axis y = Axis.of(
                lines.values().stream().flatMap(List::stream).map(Point::y).toList());
        StringBuilder svg = new StringBuilder(format(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\""
                        + " font-size=\"12\">%n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n",
                WIDTH, HEIGHT));
        text(svg, LEFT, 28, "start", title);
        text(svg, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 15, "middle", xLabel);
        text(svg, LEFT, TOP - 8, "end", yLabel);
        for (int power = x.lowest(); power <= x.highest(); power++) {
            double at = left(x, Math.pow(10, power));
            line(svg, at, TOP, at, HEIGHT - BOTTOM);
            text(svg, at, HEIGHT - BOTTOM + 18, "middle", tick(power));
        }
        for (int power = y.lowest(); power <= y.highest(); power++) {
            double at = top(y, Math.pow(10, power));
            line(svg, LEFT, at, WIDTH - RIGHT, at);
            text(svg, LEFT - 8, at + 4, "end", tick(power));
        }
        List<String> names = new ArrayList<>(lines.keySet());
        for (int i = 0; i < names.size(); i++) {
            String color = COLORS.get(i % COLORS.size());
            draw(svg, lines.getOrDefault(names.get(i), List.of()), x, y, color);
            svg.append(format("<g fill=\"%s\">", color));
            text(svg, WIDTH - RIGHT + 14, TOP + 16 + 20 * i, "start", names.get(i));
            svg.append("</g>\n");
        }
        return svg.append("</svg>\n").toString();
    }

    private static void draw(StringBuilder svg, List<Point> points, Axis x, Axis y, String color) {
        StringBuilder path = new StringBuilder();
        for (Point point : points) {
            String at = format("%.1f,%.1f", left(x, point.x()), top(y, point.y()));
            path.append(path.isEmpty() ? "" : " ").append(at);
            svg.append(format(
                    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>%n",
                    left(x, point.x()), top(y, point.y()), color));
        }
        svg.append(format("<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>%n", path, color));
    }

    private static double left(Axis axis, double value) {
        return LEFT + axis.share(value) * (WIDTH - LEFT - RIGHT);
    }

    private static double top(Axis axis, double value) {
        return HEIGHT - BOTTOM - axis.share(value) * (HEIGHT - TOP - BOTTOM);
    }

    private static void line(StringBuilder svg, double x1, double y1, double x2, double y2) {
        svg.append(
                format("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#dddddd\"/>%n", x1, y1, x2, y2));
    }

    private static void text(StringBuilder svg, double x, double y, String anchor, String text) {
        String escaped = text.replace("&", "&amp;").replace("<", "&lt;");
        svg.append(format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n", x, y, anchor, escaped));
    }

    private static String tick(int power) {
        return power < 0 ? format("%.3f", Math.pow(10, power)) : format("%,.0f", Math.pow(10, power));
    }

    private static String format(String format, Object... arguments) {
        return String.format(Locale.ROOT, format, arguments);
    }

    /** Whole powers of ten around all values. */
    record Axis(int lowest, int highest) {
        static Axis of(List<Double> values) {
            double least = values.stream().mapToDouble(value -> value).min().orElse(1);
            double most = values.stream().mapToDouble(value -> value).max().orElse(1);
            int lowest = (int) Math.floor(Math.log10(least));
            return new Axis(lowest, Math.max(lowest + 1, (int) Math.ceil(Math.log10(most))));
        }

        double share(double value) {
            return (Math.log10(value) - lowest) / (highest - lowest);
        }
    }
}
