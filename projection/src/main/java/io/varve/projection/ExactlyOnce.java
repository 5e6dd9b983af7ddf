package io.varve.projection;

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
final class ExactlyOnce<E> extends HandlerFlavour<E, E, Collection<TransactWriteItem>> {
    private final int parallelism;

    ExactlyOnce(UserHandler<E, Collection<TransactWriteItem>> handler, int parallelism) {
        super(handler);
        this.parallelism = parallelism;
    }

    @Override
    public Source<Done, NotUsed> process(Source<Passing<E>, NotUsed> admitted, Incarnation<E> incarnation) {
        Lanes lanes = new Lanes();
        return admitted.mapAsync(
                parallelism,
                passing -> lanes.run(passing.position().persistenceId(), () -> process(passing, incarnation)));
    }

    private CompletionStage<Done> process(Passing<E> passing, Incarnation<E> incarnation) {
        List<Passing<E>> one = List.of(passing);
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

    private CompletionStage<Collection<TransactWriteItem>> handle(Passing<E> passing) {
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
    static final class Lanes {
        private final Map<String, CompletableFuture<Done>> last = new ConcurrentHashMap<>();

        CompletionStage<Done> run(String key, Supplier<CompletionStage<Done>> task) {
            CompletableFuture<Done> before = last.get(key);
            CompletableFuture<Done> done =
                    (before == null ? task.get() : before.thenCompose(ok -> task.get())).toCompletableFuture();
            last.put(key, done);
            done.thenRun(() -> last.remove(key, done));
            return done;
        }
    }
}
