package io.varve.persistence.internal.plugin;

import io.varve.store.internal.async.Causes;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import scala.concurrent.Future;
import scala.concurrent.Promise;
import scala.concurrent.Promise$;
import scala.jdk.javaapi.FutureConverters;

/** The border between the store's stages and Scala's futures. */
public final class Futures {
    private Futures() {}

    /** The same as a Scala future; a failure is passed on as it is, without wrappers. */
    public static <T> Future<T> toScala(CompletionStage<? extends T> stage) {
        Promise<T> promise = Promise$.MODULE$.apply();
        stage.whenComplete((value, thrown) -> {
            if (thrown == null) {
                promise.success(value);
            } else {
                promise.failure(Causes.unwrap(thrown));
            }
        });
        return promise.future();
    }

    /** The same as a stage. */
    public static <T> CompletionStage<T> toJava(Future<T> future) {
        return FutureConverters.asJava(future);
    }

    /** A stage that has failed. */
    public static <T> CompletionStage<T> failed(Throwable thrown) {
        return CompletableFuture.failedFuture(thrown);
    }
}
