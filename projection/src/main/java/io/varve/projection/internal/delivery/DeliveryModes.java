package io.varve.projection.internal.delivery;

import io.varve.projection.DynamoDBTransactHandler;
import io.varve.projection.internal.settings.OffsetStoreSettings;
import io.varve.projection.internal.settings.ProjectionOptions;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.projection.ProjectionContext;
import org.apache.pekko.projection.javadsl.Handler;
import org.apache.pekko.stream.javadsl.FlowWithContext;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** Makes the delivery modes of a projection: a new one, with a new handler, for each start. */
public interface DeliveryModes<E> {

    /** For one run of the projection, through all its starts. */
    Run<E> run(ProjectionOptions<E> options, ProjectionParts<E> parts, ActorSystem<?> system);

    /** The delivery modes of a run. */
    interface Run<E> {
        /** For the next start. */
        DeliveryMode<E> next();

        /** The run is over. */
        default void close() {}
    }

    static <E> DeliveryModes<E> exactlyOnce(Supplier<? extends DynamoDBTransactHandler<E>> handlers) {
        return (options, parts, system) -> () -> {
            OffsetStoreSettings settings = parts.settings();
            UserHandler<E, Collection<TransactWriteItem>> handler = UserHandler.transacting(handlers.get());
            return settings.groupCommit().isPresent()
                    ? new GroupCommitted<>(
                            handler,
                            options.id(),
                            settings.parallelism(),
                            settings.groupCommit().getAsInt())
                    : new ExactlyOnce<>(handler, settings.parallelism());
        };
    }

    static <E> DeliveryModes<E> exactlyOnceGrouped(Supplier<? extends DynamoDBTransactHandler<List<E>>> handlers) {
        return (options, parts, system) ->
                () -> new ExactlyOnceGrouped<>(UserHandler.transacting(handlers.get()), options);
    }

    static <E> DeliveryModes<E> atLeastOnce(Supplier<? extends Handler<E>> handlers) {
        return (options, parts, system) -> withActor(handlers, handler -> new AtLeastOnce<>(handler, options), system);
    }

    static <E> DeliveryModes<E> atLeastOnceGrouped(Supplier<? extends Handler<List<E>>> handlers) {
        return (options, parts, system) ->
                withActor(handlers, handler -> new AtLeastOnceGrouped<>(handler, options), system);
    }

    static <E> DeliveryModes<E> atLeastOnceFlow(
            FlowWithContext<E, ProjectionContext, Done, ProjectionContext, ?> flow) {
        return (options, parts, system) -> () -> new AtLeastOnceFlow<>(flow, options);
    }

    private static <E, X> Run<E> withActor(
            Supplier<? extends Handler<X>> handlers,
            Function<UserHandler<X, Done>, DeliveryMode<E>> mode,
            ActorSystem<?> system) {
        return new Run<>() {
            private final HandlerActor actor = new HandlerActor(system);

            @Override
            public DeliveryMode<E> next() {
                return mode.apply(UserHandler.of(handlers.get(), actor));
            }

            @Override
            public void close() {
                actor.stop();
            }
        };
    }
}
