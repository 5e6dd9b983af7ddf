package io.varve.projection;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.pekko.Done;
import org.apache.pekko.projection.javadsl.HandlerLifecycle;

/** Turns an event into one change of the item of its entity. It is called for several entities at once. */
public abstract class DynamoDBItemHandler<Envelope> implements HandlerLifecycle {

    /** The change for an event. It is stored together with what the item reflects then. */
    public abstract CompletionStage<ItemChange> process(Envelope envelope) throws Exception;

    /** Called before the first event, each time the projection starts. */
    @Override
    public CompletionStage<Done> start() {
        return CompletableFuture.completedFuture(Done.getInstance());
    }

    /** Called after the last event, each time the projection stops or fails. */
    @Override
    public CompletionStage<Done> stop() {
        return CompletableFuture.completedFuture(Done.getInstance());
    }

    /** A handler without a state of its own. */
    public static <Envelope> DynamoDBItemHandler<Envelope> fromFunction(Function<Envelope, ItemChange> function) {
        return new DynamoDBItemHandler<>() {
            @Override
            public CompletionStage<ItemChange> process(Envelope envelope) {
                return CompletableFuture.completedFuture(function.apply(envelope));
            }
        };
    }
}
