package io.varve.persistence.query;

import static io.varve.persistence.journal.TestEntity.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.internal.async.Causes;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.SinkQueueWithCancel;
import org.apache.pekko.stream.javadsl.Source;

/** A stream that runs, and whose elements are taken one by one. What is not taken is not asked for. */
final class RunningQuery<T> implements AutoCloseable {
    private final SinkQueueWithCancel<T> queue;

    private RunningQuery(SinkQueueWithCancel<T> queue) {
        this.queue = queue;
    }

    static <T> RunningQuery<T> of(Source<T, ?> source, ActorSystem system) {
        return new RunningQuery<>(source.runWith(Sink.<T>queue().withAttributes(Attributes.inputBuffer(1, 1)), system));
    }

    /** All elements of a stream that ends. */
    static <T> List<T> all(Source<T, ?> source, ActorSystem system) {
        return result(source.runWith(Sink.seq(), system));
    }

    /** Why a stream fails. */
    static Throwable failure(Source<?, ?> source, ActorSystem system) {
        return failure(source.runWith(Sink.ignore(), system));
    }

    /** Why a stage fails. */
    static Throwable failure(CompletionStage<?> stage) {
        return result(stage.handle((value, thrown) -> {
            assertThat(thrown).as("a failure instead of %s", value).isNotNull();
            return Causes.unwrap(thrown);
        }));
    }

    static <T> T result(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new CompletionException(e.getCause());
        } catch (TimeoutException | InterruptedException e) {
            throw new AssertionError("Nothing came within " + PATIENCE, e);
        }
    }

    T next() {
        return result(queue.pull()).orElseThrow(() -> new AssertionError("The stream has ended."));
    }

    List<T> next(int count) {
        return IntStream.range(0, count).mapToObj(i -> next()).toList();
    }

    /** Asks for an element without waiting for it. */
    CompletionStage<Optional<T>> pull() {
        return queue.pull();
    }

    void expectEnd() {
        assertThat(result(queue.pull())).isEmpty();
    }

    Throwable expectFailure() {
        return failure(queue.pull());
    }

    @Override
    public void close() {
        queue.cancel();
    }
}
