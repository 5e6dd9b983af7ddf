package io.varve.benchmark.driver;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.pattern.Patterns;
import org.apache.pekko.persistence.journal.Tagged;
import org.jspecify.annotations.Nullable;

/** An actor system with persistent actors on the journal that its config names. */
final class ActorNode implements MeasuredNode {
    static final String SNAPSHOT_STORE = "dynamodb-snapshot-store";
    private static final Duration TIMEOUT = Duration.ofMinutes(5);

    private final ActorSystem system;
    private final Reads reads;
    private final String payload;
    private final Map<String, ActorRef> actors = new HashMap<>();

    private ActorNode(ActorSystem system) {
        this.system = system;
        this.reads = new Reads(system);
        this.payload = "x".repeat(system.settings().config().getInt("benchmark.payload-bytes"));
    }

    /** Starts a node; the config's text stands above the libraries' own. */
    static MeasuredNode open(String config) {
        return new ActorNode(ActorSystem.create(
                "benchmark", ConfigFactory.parseString(config).withFallback(ConfigFactory.load())));
    }

    @Override
    public Map<String, ?> run(String command, Config arguments) throws Exception {
        return switch (command) {
            case "recover" -> recover(arguments.getStringList("ids"), arguments.getBoolean("snapshots"));
            case "stop" -> stop(arguments.getStringList("ids"));
            case "persist" -> persist(arguments);
            case "loop" -> loop(arguments);
            case "delete" -> delete(arguments.getString("id"), arguments.getLong("to"));
            case "read" -> reads.events(arguments.getString("id"), arguments.getLong("from"));
            case "lastNumber" -> reads.lastNumber(arguments.getString("id"));
            case "loadEvent" -> reads.event(arguments.getString("id"), arguments.getLong("number"));
            default -> new Snapshots(system).run(command, arguments);
        };
    }

    private Map<String, ?> recover(List<String> ids, boolean snapshots) throws Exception {
        List<CompletableFuture<Long>> recoveries = new ArrayList<>();
        long cpuBefore = Usage.cpuNow();
        long start = System.nanoTime();
        for (String id : ids) {
            CompletableFuture<Long> recovered = new CompletableFuture<>();
            actors.put(id, system.actorOf(MeasuredEntity.props(id, snapshots, recovered)));
            recoveries.add(recovered);
        }
        long events = 0;
        for (CompletableFuture<Long> recovery : recoveries) {
            events += await(recovery);
        }
        long nanos = System.nanoTime() - start;
        return Map.of("nanos", nanos, "events", events, "cpuNanos", Usage.cpuNow() - cpuBefore);
    }

    private Map<String, ?> stop(List<String> ids) throws Exception {
        List<CompletionStage<Boolean>> stops = new ArrayList<>();
        for (String id : ids) {
            stops.add(Patterns.gracefulStop(actor(id), TIMEOUT));
            actors.remove(id);
        }
        for (CompletionStage<Boolean> stop : stops) {
            await(stop);
        }
        return Map.of();
    }

    private Map<String, ?> persist(Config arguments) throws Exception {
        Object event = arguments.getBoolean("tagged") ? new Tagged(payload, Set.of("tag")) : payload;
        List<ActorRef> entities =
                arguments.getStringList("ids").stream().map(this::actor).toList();
        await(new BoundedWrites(entities, event, arguments.getInt("writes"), arguments.getInt("batch")).run());
        return Map.of();
    }

    private Map<String, ?> loop(Config arguments) throws Exception {
        List<ActorRef> workers = new ArrayList<>();
        for (String id : arguments.getStringList("ids")) {
            workers.add(actor(id));
        }
        int burst = arguments.getInt("burst");
        ClosedLoop loop = new ClosedLoop(
                workers.size(),
                arguments.getLong("warmUp"),
                burst,
                (worker, outcome) -> workers.get(worker)
                        .tell(new MeasuredEntity.Write(payload, burst, true, outcome), ActorRef.noSender()));
        return loop.run(Duration.ofMillis(arguments.getLong("millis")));
    }

    private Map<String, ?> delete(String id, long to) throws Exception {
        CompletableFuture<Long> done = new CompletableFuture<>();
        actor(id).tell(new MeasuredEntity.Delete(to, done), ActorRef.noSender());
        await(done);
        return Map.of();
    }

    private ActorRef actor(String id) {
        @Nullable ActorRef actor = actors.get(id);
        if (actor == null) {
            throw new IllegalStateException(id + " is not running");
        }
        return actor;
    }

    static <T> T await(CompletionStage<T> answer) throws Exception {
        return answer.toCompletableFuture().get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    }

    @Override
    public void close() throws Exception {
        system.terminate();
        await(system.getWhenTerminated());
    }
}
