package io.varve.chaos.soak;

import java.util.List;

/**
 * What a node holds at some time.
 *
 * @param seconds since the beginning
 * @param events stored by then
 * @param liveBytes after a garbage collection
 * @param projectionBytes of objects of Varve's projections: their offsets, mostly
 * @param sockets that are open
 */
record Sample(long seconds, long events, int node, long liveBytes, long projectionBytes, long threads, long sockets) {
    static final String HEADER = "seconds,events,node,live_bytes,projection_bytes,threads,sockets";

    /** A sample from a node's answer. */
    static Sample of(long seconds, long events, int node, String answer) {
        List<Long> values =
                List.of(answer.split(" ", -1)).stream().map(Long::valueOf).toList();
        return new Sample(seconds, events, node, values.get(0), values.get(1), values.get(2), values.get(3));
    }

    String csv() {
        return "%d,%d,%d,%d,%d,%d,%d".formatted(seconds, events, node, liveBytes, projectionBytes, threads, sockets);
    }
}
