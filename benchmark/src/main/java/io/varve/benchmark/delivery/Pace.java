package io.varve.benchmark.delivery;

import io.varve.benchmark.server.LocalServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.typed.ActorRef;

/** Tells entities to persist at a steady pace, far from what the server can take, and takes the time until events arrive. */
final class Pace {
    private static final int ENTITIES = 20;
    private static final int WARM_UP = 200;
    private static final Duration PAUSE = Duration.ofMillis(20);

    private final Map<String, Long> sent = new ConcurrentHashMap<>();
    private final BlockingQueue<Long> latencies = new LinkedBlockingQueue<>();

    /** The time of each event in nanoseconds, after some that do not count. */
    List<Long> measure(BenchSystem bench, int events) throws InterruptedException {
        List<ActorRef<String>> entities = new ArrayList<>();
        for (String id : LocalServer.entities("paced", ENTITIES)) {
            entities.add(bench.entity(id, () -> {}));
        }
        send("warm-up", WARM_UP, entities);
        return send("event", events, entities);
    }

    /** To be called when an event arrives. */
    void arrived(String event) {
        Long since = sent.remove(event);
        if (since != null) {
            latencies.add(System.nanoTime() - since);
        }
    }

    private List<Long> send(String name, int count, List<ActorRef<String>> entities) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            String event = name + "-" + i;
            sent.put(event, System.nanoTime());
            entities.get(i % entities.size()).tell(event);
            TimeUnit.NANOSECONDS.sleep(PAUSE.toNanos());
        }
        List<Long> measured = new ArrayList<>();
        while (measured.size() < count) {
            Long latency = latencies.poll(60, TimeUnit.SECONDS);
            if (latency == null) {
                throw new IllegalStateException("Only " + measured.size() + " of " + count + " events arrived.");
            }
            measured.add(latency);
        }
        return measured;
    }
}
