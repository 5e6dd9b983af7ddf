package io.varve.projection;

import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;

/** A flavour with a handler. */
abstract class HandlerFlavour<E, X, R> implements Flavour<E> {
    private final UserHandler<X, R> handler;

    HandlerFlavour(UserHandler<X, R> handler) {
        this.handler = handler;
    }

    UserHandler<X, R> handler() {
        return handler;
    }

    @Override
    public CompletionStage<Done> start() {
        return handler.start();
    }

    @Override
    public CompletionStage<Done> stop() {
        return handler.stop();
    }
}
