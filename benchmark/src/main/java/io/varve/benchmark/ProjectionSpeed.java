package io.varve.benchmark;

import io.varve.projection.DynamoDBProjection;
import io.varve.projection.DynamoDBProjectionSettings;
import io.varve.projection.DynamoDBSourceProvider;
import io.varve.projection.DynamoDBTransactHandler;
import io.varve.store.layout.Tables;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.Projection;
import org.apache.pekko.projection.ProjectionBehavior;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.javadsl.Handler;
import org.apache.pekko.projection.javadsl.SourceProvider;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/**
 * How many events of a backlog a projection processes in a second, with a latency added to each request, as a real DynamoDB has
 * one. The handler itself does nothing, so that the cost of the offsets is what is measured.
 */
final class ProjectionSpeed {
    private static final int ENTITIES = 200;
    private static final int WRITES_AT_ONCE = 20;

    private final BenchSystem bench;
    private final int events;

    private ProjectionSpeed(BenchSystem bench, int events) {
        this.bench = bench;
        this.events = events;
    }

    static List<Report.Row> run(int events, Duration latency) throws Exception {
        try (DynamoDBLocal server = DynamoDBLocal.inMemory();
                FaultProxy proxy = FaultProxy.start(server.endpoint())) {
            proxy.recording(false);
            try (BenchSystem bench = new BenchSystem(proxy.endpoint(), "")) {
                bench.create(Tables.journal("pekko-persistence"));
                bench.create(Tables.offsets("timestamp_offset"));
                ProjectionSpeed speed = new ProjectionSpeed(bench, events);
                speed.write();
                speed.exactlyOnce("warm-up", 32);
                proxy.on(RequestMatch.any(), Fault.delay(latency));
                List<Report.Row> rows = new ArrayList<>();
                String added = ", " + latency.toMillis() + " ms added to each request";
                for (int parallelism : List.of(1, 8, 32)) {
                    rows.add(Report.Row.ofRate(
                            "exactly-once, parallelism " + parallelism + added,
                            events,
                            speed.exactlyOnce("exactly-once-" + parallelism, parallelism)));
                }
                rows.add(Report.Row.ofRate("at-least-once" + added, events, speed.atLeastOnce("at-least-once")));
                return rows;
            }
        }
    }

    /** How long an at-least-once projection takes for a backlog that is already there. */
    static long backlog(LocalServer server, Side.Tables tables, int events, Duration latency) throws Exception {
        server.latency(Duration.ZERO);
        String journal = "dynamodb-journal.journal-table = \"" + tables.journal() + "\"";
        try (BenchSystem bench = new BenchSystem(tables.endpoint(), journal)) {
            bench.create(Tables.offsets("timestamp_offset"));
            server.latency(latency);
            return new ProjectionSpeed(bench, events).atLeastOnce("backlog-" + events);
        }
    }

    private void write() throws InterruptedException {
        CountDownLatch persisted = new CountDownLatch(events);
        Semaphore underWay = new Semaphore(WRITES_AT_ONCE);
        List<ActorRef<String>> entities = new ArrayList<>();
        for (int i = 0; i < ENTITIES; i++) {
            entities.add(bench.entity("bench|" + i, () -> {
                underWay.release();
                persisted.countDown();
            }));
        }
        for (int i = 0; i < events; i++) {
            if (!underWay.tryAcquire(1, TimeUnit.MINUTES)) {
                throw new IllegalStateException("The events of the backlog could not be written within a minute.");
            }
            entities.get(i % ENTITIES).tell("event-" + i);
        }
        await(persisted);
    }

    private long exactlyOnce(String name, int parallelism) throws InterruptedException {
        DynamoDBProjectionSettings settings =
                DynamoDBProjectionSettings.create(bench.system()).withParallelism(parallelism);
        return measure((source, processed) -> DynamoDBProjection.exactlyOnce(
                ProjectionId.of(name, "all"),
                Optional.of(settings),
                source,
                () -> DynamoDBTransactHandler.fromFunction(envelope -> {
                    processed.countDown();
                    Collection<TransactWriteItem> nothing = List.of();
                    return CompletableFuture.completedFuture(nothing);
                }),
                bench.system()));
    }

    private long atLeastOnce(String name) throws InterruptedException {
        return measure((source, processed) -> DynamoDBProjection.atLeastOnce(
                ProjectionId.of(name, "all"),
                Optional.empty(),
                source,
                () -> Handler.fromFunction(envelope -> {
                    processed.countDown();
                    return CompletableFuture.completedFuture(Done.getInstance());
                }),
                bench.system()));
    }

    private long measure(
            BiFunction<SourceProvider<Offset, EventEnvelope<String>>, CountDownLatch, Projection<?>> projection)
            throws InterruptedException {
        CountDownLatch processed = new CountDownLatch(events);
        long start = System.nanoTime();
        ActorRef<ProjectionBehavior.Command> running = bench.system()
                .systemActorOf(
                        ProjectionBehavior.create(projection.apply(
                                DynamoDBSourceProvider.eventsBySlices(bench.system(), "bench", 0, 1023), processed)),
                        "projection-" + System.nanoTime(),
                        Props.empty());
        await(processed);
        long nanos = System.nanoTime() - start;
        running.tell(ProjectionBehavior.stopMessage());
        return nanos;
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        if (!latch.await(5, TimeUnit.MINUTES)) {
            throw new IllegalStateException(latch.getCount() + " events are missing after 5 minutes.");
        }
    }
}
