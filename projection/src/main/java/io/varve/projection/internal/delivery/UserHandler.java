package io.varve.projection.internal.delivery;

import io.varve.projection.DynamoDBItemHandler;
import io.varve.projection.DynamoDBTransactHandler;
import io.varve.projection.ItemChange;
import io.varve.projection.ViewHandler;
import io.varve.store.VarveException;
import io.varve.store.internal.async.Causes;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.projection.javadsl.ActorHandler;
import org.apache.pekko.projection.javadsl.Handler;
import org.apache.pekko.projection.javadsl.HandlerLifecycle;
import org.apache.pekko.projection.javadsl.StatefulHandler;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** A handler of the user's; what it returns is checked. */
public final class UserHandler<X, R> {
    private final Processing<X, R> processing;
    private final HandlerLifecycle lifecycle;

    private UserHandler(Processing<X, R> processing, HandlerLifecycle lifecycle) {
        this.processing = processing;
        this.lifecycle = lifecycle;
    }

    /** What a handler does with an envelope, or a list of them. */
    private interface Processing<X, R> {
        @Nullable
        CompletionStage<R> process(X input) throws Exception;
    }

    /** One whose changes are stored with the progress. */
    static <X> UserHandler<X, Collection<TransactWriteItem>> transacting(@Nullable DynamoDBTransactHandler<X> handler) {
        DynamoDBTransactHandler<X> made = made(handler);
        return new UserHandler<>(made::process, made);
    }

    /** One that does everything itself. */
    static <X> UserHandler<X, Done> of(@Nullable Handler<X> handler, HandlerActor actor) {
        Handler<X> made = made(handler);
        if (made instanceof ActorHandler<?, ?>) {
            return actorHandler(made, actor);
        }
        return new UserHandler<>(made instanceof StatefulHandler<?, ?> ? new Reloading<>(made) : made::process, made);
    }

    /** One that changes an item, with its progress. */
    public static <X> UserHandler<X, ItemChange> changing(@Nullable DynamoDBItemHandler<X> handler) {
        DynamoDBItemHandler<X> made = made(handler);
        return new UserHandler<>(made::process, made);
    }

    /** One that is started and stopped only; what it folds, it does by itself. */
    public static UserHandler<Done, Done> folding(ViewHandler<?, ?> handler) {
        return new UserHandler<>(CompletableFuture::completedFuture, handler);
    }

    /** What the user's supplier has made. */
    public static <T> T made(@Nullable T handler) {
        if (handler == null) {
            throw new VarveException("The supplier of handlers returned null.");
        }
        return handler;
    }

    @SuppressWarnings("unchecked")
    private static <X> UserHandler<X, Done> actorHandler(Handler<X> handler, HandlerActor actor) {
        ActorHandler<X, Object> delegate = (ActorHandler<X, Object>) handler;
        ActorRef<Object> started = actor.get(delegate.behavior());
        return new UserHandler<>(input -> delegate.process(started, input), handler);
    }

    /** Lets a stateful handler of Pekko load its state again after a failure, which it promises but does not do by itself. */
    private static final class Reloading<X> implements Processing<X, Done> {
        private final Handler<X> handler;
        private volatile boolean failed;

        Reloading(Handler<X> handler) {
            this.handler = handler;
        }

        @Override
        public CompletionStage<Done> process(X input) throws Exception {
            CompletionStage<Done> loaded =
                    failed ? handler.start() : CompletableFuture.completedFuture(Done.getInstance());
            return loaded.thenCompose(done -> checked(() -> handler.process(input), "process"))
                    .whenComplete((done, thrown) -> failed = thrown != null);
        }
    }

    public CompletionStage<R> process(X input, String what) {
        return checked(() -> processing.process(input), what);
    }

    public CompletionStage<Done> start() {
        return checked(lifecycle::start, "start");
    }

    public CompletionStage<Done> stop() {
        return checked(lifecycle::stop, "stop");
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
                    result.completeExceptionally(exception(Causes.unwrap(thrown), what));
                } else if (value == null) {
                    result.completeExceptionally(new VarveException(
                            "The handler's CompletionStage was completed with null for " + what + "."));
                } else {
                    result.complete(value);
                }
            });
            return result;
        } catch (Exception | LinkageError | AssertionError e) {
            return CompletableFuture.failedFuture(exception(e, what));
        }
    }

    /** Scala's futures hide what an error says. */
    private static Throwable exception(Throwable thrown, String what) {
        return thrown instanceof Error
                ? new VarveException("The handler threw an error for " + what + ": " + thrown, thrown)
                : thrown;
    }
}
