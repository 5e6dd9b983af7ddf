package io.varve.projection;

import io.varve.persistence.Futures;
import io.varve.store.VarveException;
import io.varve.store.client.Causes;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.pekko.Done;
import org.apache.pekko.projection.internal.ActorHandlerInit;
import org.apache.pekko.projection.internal.HandlerAdapter;
import org.apache.pekko.projection.javadsl.ActorHandler;
import org.apache.pekko.projection.javadsl.Handler;
import org.jspecify.annotations.Nullable;
import scala.Option;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** The handler of the current incarnation, made anew for each; what it returns is checked. */
final class HandlerSlot<X, R> {
    private final Supplier<Use<X, R>> factory;
    private @Nullable Use<X, R> current;
    private boolean used;

    private HandlerSlot(Supplier<Use<X, R>> factory) {
        this.factory = factory;
    }

    /** What a handler can do. */
    private interface Use<X, R> {
        CompletionStage<R> process(X input) throws Exception;

        CompletionStage<Done> start() throws Exception;

        CompletionStage<Done> stop() throws Exception;

        default @Nullable ActorHandlerInit<Object> actor() {
            return null;
        }
    }

    /** For handlers that do everything themselves. */
    static <X> HandlerSlot<X, Done> of(Supplier<? extends Handler<X>> supplier) {
        return new HandlerSlot<>(() -> {
            Handler<X> handler = supplier.get();
            return handler instanceof ActorHandler<?, ?> ? new ActorUse<>(handler) : new PlainUse<>(handler);
        });
    }

    /** For handlers whose changes are stored with the progress. */
    static <X> HandlerSlot<X, Collection<TransactWriteItem>> transacting(
            Supplier<? extends DynamoDBTransactHandler<X>> supplier) {
        return new HandlerSlot<>(() -> new TransactUse<>(supplier.get()));
    }

    private record PlainUse<X>(Handler<X> handler) implements Use<X, Done> {
        @Override
        public CompletionStage<Done> process(X input) throws Exception {
            return handler.process(input);
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

    private record TransactUse<X>(DynamoDBTransactHandler<X> handler) implements Use<X, Collection<TransactWriteItem>> {
        @Override
        public CompletionStage<Collection<TransactWriteItem>> process(X input) throws Exception {
            return handler.process(input);
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

    /** A handler with an actor, which Pekko starts and which outlives the handler. */
    private static final class ActorUse<X> implements Use<X, Done> {
        private final org.apache.pekko.projection.scaladsl.Handler<X> adapter;

        ActorUse(Handler<X> handler) {
            this.adapter = HandlerAdapter.apply(handler);
        }

        @Override
        public CompletionStage<Done> process(X input) {
            return Futures.toJava(adapter.process(input));
        }

        @Override
        public CompletionStage<Done> start() {
            return Futures.toJava(adapter.start());
        }

        @Override
        public CompletionStage<Done> stop() {
            return Futures.toJava(adapter.stop());
        }

        @Override
        @SuppressWarnings("unchecked")
        public ActorHandlerInit<Object> actor() {
            return (ActorHandlerInit<Object>) adapter;
        }
    }

    private synchronized Use<X, R> current() {
        if (current == null) {
            current = factory.get();
        }
        return current;
    }

    /** The handler for the next incarnation; the actor of the one before is handed on. */
    synchronized void renew() {
        if (current != null && used) {
            Use<X, R> next = factory.get();
            ActorHandlerInit<Object> before = current.actor();
            ActorHandlerInit<Object> after = next.actor();
            if (before != null && after != null) {
                after.setActor(before.getActor());
            }
            current = next;
        }
        used = true;
    }

    CompletionStage<R> process(X input, String what) {
        return checked(() -> current().process(input), what);
    }

    CompletionStage<Done> start() {
        return checked(() -> current().start(), "start");
    }

    CompletionStage<Done> stop() {
        return checked(() -> current().stop(), "stop");
    }

    @SuppressWarnings("unchecked")
    <T> Option<ActorHandlerInit<T>> actorHandlerInit() {
        return Option.apply((ActorHandlerInit<T>) current().actor());
    }

    /** A call of the user's code. */
    private interface Call<T> {
        @Nullable
        CompletionStage<T> run() throws Exception;
    }

    private static <T> CompletionStage<T> checked(Call<T> call, String what) {
        try {
            CompletionStage<T> stage = call.run();
            if (stage == null) {
                return CompletableFuture.failedFuture(
                        new VarveException("The handler returned null instead of a CompletionStage for " + what + "."));
            }
            CompletableFuture<T> result = new CompletableFuture<>();
            stage.whenComplete((value, thrown) -> {
                if (thrown != null) {
                    result.completeExceptionally(Causes.unwrap(thrown));
                } else if (value == null) {
                    result.completeExceptionally(new VarveException(
                            "The handler's CompletionStage was completed with null for " + what + "."));
                } else {
                    result.complete(value);
                }
            });
            return result;
        } catch (Exception | LinkageError e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
