package io.varve.projection.internal.delivery;

import io.varve.projection.internal.event.InFlight;
import io.varve.projection.internal.stream.ProjectionStream;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.javadsl.Source;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** A transaction for each event; entities can run in parallel, the events of one never do. */
public final class ExactlyOnce<E> extends HandlerDeliveryMode<E, E, Collection<TransactWriteItem>> {
    private final int parallelism;

    public ExactlyOnce(UserHandler<E, Collection<TransactWriteItem>> handler, int parallelism) {
        super(handler);
        this.parallelism = parallelism;
    }

    @Override
    public Source<Done, NotUsed> process(Source<InFlight<E>, NotUsed> admitted, ProjectionStream<E> incarnation) {
        Lanes lanes = new Lanes();
        return admitted.mapAsync(
                parallelism,
                passing -> lanes.run(passing.position().persistenceId(), () -> process(passing, incarnation)));
    }

    private CompletionStage<Done> process(InFlight<E> passing, ProjectionStream<E> incarnation) {
        List<InFlight<E>> one = List.of(passing);
        return incarnation.recovering(
                one,
                () -> handle(passing)
                        .thenCompose(items -> incarnation.store(items, one))
                        .thenApply(elsewhere -> {
                            incarnation.processed(passing);
                            return incarnation.stored(one);
                        }),
                () -> incarnation.store(List.of(), one).thenApply(elsewhere -> incarnation.stored(one)));
    }

    private CompletionStage<Collection<TransactWriteItem>> handle(InFlight<E> passing) {
        CompletionStage<Collection<TransactWriteItem>> all = CompletableFuture.completedFuture(new ArrayList<>());
        for (E envelope : passing.envelopes()) {
            all = all.thenCompose(items -> handler()
                    .process(envelope, passing.position().toString())
                    .thenApply(more -> {
                        items.addAll(more);
                        return items;
                    }));
        }
        return all;
    }

    /**
     * Lets the tasks of one key run one after another; after one that failed none runs, also if it is added before the stream has
     * heard of the failure. They are added by one thread.
     */
    public static final class Lanes {
        private final Map<String, CompletableFuture<Done>> last = new ConcurrentHashMap<>();

        public CompletionStage<Done> run(String key, Supplier<CompletionStage<Done>> task) {
            CompletableFuture<Done> before = last.get(key);
            CompletableFuture<Done> done =
                    (before == null ? task.get() : before.thenCompose(ok -> task.get())).toCompletableFuture();
            last.put(key, done);
            done.thenRun(() -> last.remove(key, done));
            return done;
        }
    }
}
