package io.varve.projection;

import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.apache.pekko.projection.internal.ActorHandlerInit;
import scala.Option;

/** A flavour with a handler. */
abstract class HandlerFlavour<E, X, R> implements Flavour<E> {
    private final HandlerSlot<X, R> handler;

    HandlerFlavour(HandlerSlot<X, R> handler) {
        this.handler = handler;
    }

    HandlerSlot<X, R> handler() {
        return handler;
    }

    @Override
    public void renew() {
        handler.renew();
    }

    @Override
    public CompletionStage<Done> start() {
        return handler.start();
    }

    @Override
    public CompletionStage<Done> stop() {
        return handler.stop();
    }

    @Override
    public <T> Option<ActorHandlerInit<T>> actorHandlerInit() {
        return handler.actorHandlerInit();
    }
}
