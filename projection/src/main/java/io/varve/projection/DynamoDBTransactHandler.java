package io.varve.projection;

import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.pekko.Done;
import org.apache.pekko.projection.javadsl.HandlerLifecycle;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** Turns an envelope, or a list of them, into changes of items that are stored together with the progress. */
public abstract class DynamoDBTransactHandler<Envelope> implements HandlerLifecycle {

    /** The changes for an envelope, possibly none. They are stored with its offset, all or nothing. */
    public abstract CompletionStage<Collection<TransactWriteItem>> process(Envelope envelope) throws Exception;

    /** Called before the first envelope, each time the projection starts. */
    @Override
    public CompletionStage<Done> start() {
        return CompletableFuture.completedFuture(Done.getInstance());
    }

    /** Called after the last envelope, each time the projection stops or fails. */
    @Override
    public CompletionStage<Done> stop() {
        return CompletableFuture.completedFuture(Done.getInstance());
    }

    /** A handler without a state of its own. */
    public static <Envelope> DynamoDBTransactHandler<Envelope> fromFunction(
            Function<Envelope, CompletionStage<Collection<TransactWriteItem>>> function) {
        return new DynamoDBTransactHandler<>() {
            @Override
            public CompletionStage<Collection<TransactWriteItem>> process(Envelope envelope) {
                return function.apply(envelope);
            }
        };
    }
}
