package io.varve.benchmark;

import io.varve.persistence.query.javadsl.DynamoDBReadJournal;
import io.varve.store.layout.Tables;
import io.varve.testkit.DynamoDBLocal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.persistence.query.NoOffset;
import org.apache.pekko.persistence.query.PersistenceQuery;
import org.apache.pekko.stream.javadsl.Sink;

/**
 * How long it takes from the moment an entity is told to persist until a live query over all slices delivers the event, at a
 * steady pace far from what DynamoDB Local can take.
 */
final class QueryLatency {
    private static final int ENTITIES = 20;
    private static final int WARM_UP = 200;
    private static final Duration PACE = Duration.ofMillis(20);

    private final Map<String, Long> sent = new ConcurrentHashMap<>();
    private final BlockingQueue<Long> latencies = new LinkedBlockingQueue<>();

    static List<Report.Row> run(int events) throws Exception {
        return List.of(
                Report.Row.ofTimes("persist to delivery, events published", new QueryLatency().measure("on", events)),
                Report.Row.ofTimes(
                        "persist to delivery, by polling (refresh-interval 3 s)",
                        new QueryLatency().measure("off", events)));
    }

    private List<Long> measure(String publish, int events) throws Exception {
        try (DynamoDBLocal server = DynamoDBLocal.inMemory();
                BenchSystem bench =
                        new BenchSystem(server.endpoint(), "dynamodb-journal.publish-events.enabled = " + publish)) {
            bench.create(Tables.journal("pekko-persistence"));
            PersistenceQuery.get(bench.system())
                    .getReadJournalFor(DynamoDBReadJournal.class, DynamoDBReadJournal.Identifier())
                    .<String>eventsBySlices("bench", 0, 1023, NoOffset.getInstance())
                    .runWith(Sink.foreach(envelope -> arrived(envelope.getEvent())), bench.system());
            List<ActorRef<String>> entities = new ArrayList<>();
            for (int i = 0; i < ENTITIES; i++) {
                entities.add(bench.entity("bench|" + i, () -> {}));
            }
            send("warm-up", WARM_UP, entities);
            return send("event", events, entities);
        }
    }

    private List<Long> send(String name, int count, List<ActorRef<String>> entities) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            String event = name + "-" + i;
            sent.put(event, System.nanoTime());
            entities.get(i % entities.size()).tell(event);
            TimeUnit.NANOSECONDS.sleep(PACE.toNanos());
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

    private void arrived(String event) {
        Long since = sent.remove(event);
        if (since != null) {
            latencies.add(System.nanoTime() - since);
        }
    }
}
