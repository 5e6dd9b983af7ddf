package io.varve.benchmark.speed;

import com.typesafe.config.Config;
import io.varve.benchmark.command.ProgressLog;
import io.varve.benchmark.server.LocalServer;
import io.varve.benchmark.side.MeasuredJvm;
import io.varve.benchmark.side.MeasuredJvms;
import io.varve.benchmark.side.Side;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Entities that persist one event after another, or one burst of {@code persistAsync} after another. */
public final class Writes {
    /** Rounds that are not counted: what was compiled for another actor system is compiled anew in the first ones. */
    private static final int SETTLING = 2;

    private final MeasuredJvms jvms;
    private final long warmUp;
    private final int burst;

    /** Each write is a burst of so many events; the warm-up is events, too. */
    public Writes(MeasuredJvms jvms, long warmUp, int burst) {
        this.jvms = jvms;
        this.warmUp = warmUp;
        this.burst = burst;
    }

    /** The figures of each run, for each side. */
    public Map<Side, List<Config>> measure(
            String name, Function<Side, Side.Tables> tables, int entities, int runs, Duration duration) {
        ProgressLog.tell("{}: {} entities", name, entities);
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
