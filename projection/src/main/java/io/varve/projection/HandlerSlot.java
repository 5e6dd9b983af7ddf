package io.varve.projection;

import java.util.Collection;
import java.util.function.Supplier;
import org.apache.pekko.Done;
import org.apache.pekko.projection.internal.ActorHandlerInit;
import org.apache.pekko.projection.javadsl.Handler;
import org.jspecify.annotations.Nullable;
import scala.Option;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** Makes the handlers of a projection, a new one for each incarnation; the actor of an actor handler is handed on. */
final class HandlerSlot<X, R> {
    private final Supplier<UserHandler<X, R>> factory;
    private @Nullable UserHandler<X, R> current;
    private boolean used;

    private HandlerSlot(Supplier<UserHandler<X, R>> factory) {
        this.factory = factory;
    }

    /** For handlers that do everything themselves. */
    static <X> HandlerSlot<X, Done> of(Supplier<? extends Handler<X>> supplier) {
        return new HandlerSlot<>(() -> UserHandler.of(supplier.get()));
    }

    /** For handlers whose changes are stored with the progress. */
    static <X> HandlerSlot<X, Collection<TransactWriteItem>> transacting(
            Supplier<? extends DynamoDBTransactHandler<X>> supplier) {
        return new HandlerSlot<>(() -> UserHandler.transacting(supplier.get()));
    }

    /** The handler of the next incarnation. */
    synchronized UserHandler<X, R> next() {
        UserHandler<X, R> next = current();
        if (used) {
            ActorHandlerInit<Object> before = next.actor();
            next = factory.get();
            ActorHandlerInit<Object> after = next.actor();
            if (before != null && after != null) {
                after.setActor(before.getActor());
            }
            current = next;
        }
        used = true;
        return next;
    }

    private synchronized UserHandler<X, R> current() {
        if (current == null) {
            current = factory.get();
        }
        return current;
    }

    /** What Pekko starts the actor of an actor handler with, before the first incarnation. */
    @SuppressWarnings("unchecked")
    <T> Option<ActorHandlerInit<T>> actorHandlerInit() {
        return Option.apply((ActorHandlerInit<T>) current().actor());
    }
}
