package io.varve.projection;

import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.projection.internal.ActorHandlerInit;
import org.apache.pekko.stream.javadsl.Source;
import scala.Option;

/** How envelopes are processed, and when their progress is stored. */
interface Flavour<E> {

    /** Processes what was let in. */
    Source<Done, NotUsed> process(Source<Passing<E>, NotUsed> admitted, Incarnation<E> incarnation);

    /** A new incarnation begins. */
    default void renew() {}

    /** Starts the handler. */
    CompletionStage<Done> start();

    /** Stops the handler. */
    CompletionStage<Done> stop();

    /** The actor of an actor handler. */
    default <T> Option<ActorHandlerInit<T>> actorHandlerInit() {
        return Option.empty();
    }
}
