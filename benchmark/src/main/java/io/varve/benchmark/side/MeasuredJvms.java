package io.varve.benchmark.side;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** The JVMs of all sides of a measurement. */
public record MeasuredJvms(List<MeasuredJvm> all) implements AutoCloseable {

    /** Starts a JVM for each side. */
    public static MeasuredJvms start(List<Side> sides, List<String> options, String settings, String other) {
        return new MeasuredJvms(sides.stream()
                .map(side -> MeasuredJvm.start(side, options, settings, other))
                .toList());
    }

    /** Those that have entities. */
    public MeasuredJvms entities() {
        return new MeasuredJvms(
                all.stream().filter(jvm -> jvm.side() != Side.SDK).toList());
    }

    /** Lets all take turns; another begins in each run. */
    public void takeTurns(int runs, Consumer<MeasuredJvm> measurement) {
        List<MeasuredJvm> order = new ArrayList<>(all);
        for (int run = 0; run < runs; run++) {
            order.forEach(measurement);
            Collections.rotate(order, 1);
        }
    }

    /** Lets all do something at the same time. */
    public void together(Consumer<MeasuredJvm> preparation) {
        CompletableFuture.allOf(all.stream()
                        .map(jvm -> CompletableFuture.runAsync(() -> preparation.accept(jvm)))
                        .toArray(CompletableFuture[]::new))
                .join();
    }

    @Override
    public void close() throws Exception {
        for (MeasuredJvm jvm : all) {
            jvm.close();
        }
    }
}
