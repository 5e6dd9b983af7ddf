package io.varve.projection.internal.delivery;

import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;

/** A delivery mode with a handler. */
abstract class HandlerDeliveryMode<E, X, R> implements DeliveryMode<E> {
    private final UserHandler<X, R> handler;

    HandlerDeliveryMode(UserHandler<X, R> handler) {
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
