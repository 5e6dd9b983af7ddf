package io.varve.benchmark;

import com.typesafe.config.Config;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Entities that persist one event after another, or one burst of {@code persistAsync} after another. */
final class Writes {
    /** Rounds that are not counted: what was compiled for another actor system is compiled anew in the first ones. */
    private static final int SETTLING = 2;

    private final MeasuredJvms jvms;
    private final long warmUp;
    private final int burst;

    Writes(MeasuredJvms jvms, long warmUp, int burst) {
        this.jvms = jvms;
        this.warmUp = warmUp;
        this.burst = burst;
    }

    /** The figures of each run, for each side. */
    Map<Side, List<Config>> measure(
            String name, Function<Side, Side.Tables> tables, int entities, int runs, Duration duration) {
        Progress.tell("{}: {} entities", name, entities);
        List<String> ids = LocalServer.entities(name + "-" + entities, entities);
        Map<Side, List<Config>> figures = new EnumMap<>(Side.class);
        long before = Math.max(warmUp, entities);
        jvms.all().forEach(jvm -> jvm.open(tables.apply(jvm.side())));
        try {
            jvms.all().forEach(jvm -> jvm.recover(ids));
            if (warmUp == 0) {
                jvms.takeTurns(SETTLING, jvm -> jvm.loop(ids, before, duration.toMillis(), burst));
            }
            jvms.takeTurns(
                    runs,
                    jvm -> figures.computeIfAbsent(jvm.side(), side -> new ArrayList<>())
                            .add(jvm.loop(ids, before, duration.toMillis(), burst)));
        } finally {
            jvms.all().forEach(MeasuredJvm::closeNode);
        }
        return figures;
    }
}
