package io.varve.projection.internal.delivery;

import io.varve.projection.DynamoDBTransactHandler;
import java.util.Collection;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.projection.javadsl.Handler;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** Makes the flavours of a projection: a new one, with a new handler, for each incarnation. */
public interface DeliveryModes<E> {

    /** For one run of the projection, through all its incarnations. */
    Run<E> run(ActorSystem<?> system);

    /** The flavours of a run. */
    interface Run<E> {
        /** For the next incarnation. */
        DeliveryMode<E> next();

        /** The run is over. */
        default void close() {}
    }

    /** For handlers that do everything themselves. */
    static <E, X> DeliveryModes<E> of(
            Supplier<? extends Handler<X>> handlers, Function<UserHandler<X, Done>, DeliveryMode<E>> flavour) {
        return system -> new Run<>() {
            private final HandlerActor actor = new HandlerActor(system);

            @Override
            public DeliveryMode<E> next() {
                return flavour.apply(UserHandler.of(handlers.get(), actor));
            }

            @Override
            public void close() {
                actor.stop();
            }
        };
    }

    /** For handlers whose changes are stored with the progress. */
    static <E, X> DeliveryModes<E> transacting(
            Supplier<? extends DynamoDBTransactHandler<X>> handlers,
            Function<UserHandler<X, Collection<TransactWriteItem>>, DeliveryMode<E>> flavour) {
        return system -> () -> flavour.apply(UserHandler.transacting(handlers.get()));
    }
}
