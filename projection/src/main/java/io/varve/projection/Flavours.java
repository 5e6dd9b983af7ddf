package io.varve.projection;

import java.util.function.Function;
import org.apache.pekko.projection.internal.ActorHandlerInit;
import scala.Option;

/** Makes a flavour for each incarnation of a projection. */
interface Flavours<E> {

    /** For the next incarnation. */
    Flavour<E> next();

    /** The actor of an actor handler. */
    default <T> Option<ActorHandlerInit<T>> actorHandlerInit() {
        return Option.empty();
    }

    /** Flavours with a handler, which is made anew for each. */
    static <E, X, R> Flavours<E> of(HandlerSlot<X, R> handlers, Function<UserHandler<X, R>, Flavour<E>> flavour) {
        return new Flavours<>() {
            @Override
            public Flavour<E> next() {
                return flavour.apply(handlers.next());
            }

            @Override
            public <T> Option<ActorHandlerInit<T>> actorHandlerInit() {
                return handlers.actorHandlerInit();
            }
        };
    }
}
