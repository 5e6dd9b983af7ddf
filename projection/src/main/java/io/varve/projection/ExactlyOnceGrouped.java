package io.varve.projection;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.javadsl.Source;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** A transaction for each group of envelopes; a group that is too large for one is halved. */
final class ExactlyOnceGrouped<E> extends HandlerFlavour<E, List<E>, Collection<TransactWriteItem>> {

    ExactlyOnceGrouped(UserHandler<List<E>, Collection<TransactWriteItem>> handler) {
        super(handler);
    }

    @Override
    public Source<Done, NotUsed> process(Source<Passing<E>, NotUsed> admitted, Incarnation<E> incarnation) {
        return incarnation
                .grouped(admitted)
                .mapAsync(
                        1,
                        group -> incarnation.recovering(
                                group,
                                () -> store(group, incarnation, this::handle, true),
                                () -> store(
                                        group,
                                        incarnation,
                                        ignored -> CompletableFuture.completedFuture(List.of()),
                                        false)));
    }

    private CompletionStage<Collection<TransactWriteItem>> handle(List<Passing<E>> group) {
        return handler().process(Passing.envelopes(group), Incarnation.describe(group));
    }

    /** Stores what of a group is not stored yet: a part may be, from an attempt that failed later, or from elsewhere. */
    private CompletionStage<Done> store(
            List<Passing<E>> group,
            Incarnation<E> incarnation,
            Function<List<Passing<E>>, CompletionStage<Collection<TransactWriteItem>>> changes,
            boolean processed) {
        List<Passing<E>> open = incarnation.open(group);
        if (open.isEmpty()) {
            return CompletableFuture.completedFuture(Done.getInstance());
        }
        return changes.apply(open).thenCompose(items -> {
            if (open.size() > 1 && incarnation.isTooLarge(items, open)) {
                int half = open.size() / 2;
                return store(open.subList(0, half), incarnation, changes, processed)
                        .thenCompose(done -> store(open.subList(half, open.size()), incarnation, changes, processed));
            }
            return incarnation.store(items, open).thenCompose(elsewhere -> {
                if (!elsewhere.isEmpty()) {
                    incarnation.stored(elsewhere);
                    return store(open, incarnation, changes, processed);
                }
                if (processed) {
                    open.forEach(incarnation::processed);
                }
                return CompletableFuture.completedFuture(incarnation.stored(open));
            });
        });
    }
}
