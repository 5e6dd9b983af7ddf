package io.varve.benchmark.driver;

import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.apache.pekko.actor.ActorRef;

/** Lets entities persist what a measurement needs, some entities at a time, so that a slow server is not flooded. */
final class BoundedWrites {
    private static final int AT_ONCE = 20;

    private final Queue<ActorRef> waiting;
    private final Object event;
    private final int writes;
    private final int batch;

    /** Each entity persists so many atomic writes, one after another, of the event so many times. */
    BoundedWrites(Collection<ActorRef> entities, Object event, int writes, int batch) {
        this.waiting = new ConcurrentLinkedQueue<>(entities);
        this.event = event;
        this.writes = writes;
        this.batch = batch;
    }

    /** Completes when all is stored. */
    CompletableFuture<Void> run() {
        return CompletableFuture.allOf(
                Stream.generate(this::nextEntity).limit(AT_ONCE).toArray(CompletableFuture[]::new));
    }

    private CompletableFuture<Boolean> nextEntity() {
        ActorRef entity = waiting.poll();
        return entity == null
                ? CompletableFuture.completedFuture(true)
                : write(entity, writes).thenCompose(stored -> nextEntity());
    }

    private CompletableFuture<Boolean> write(ActorRef entity, int left) {
        CompletableFuture<Boolean> stored = new CompletableFuture<>();
        entity.tell(
                new MeasuredEntity.Write(event, batch, false, new MeasuredEntity.Waiting(stored)), ActorRef.noSender());
        return left == 1 ? stored : stored.thenCompose(one -> write(entity, left - 1));
    }
}
