package io.varve.simulation.failsonce;

import io.varve.simulation.failsonce.Way.Meaning;
import io.varve.store.FailureKind;
import io.varve.store.StoreException;
import io.varve.store.VarveException;
import io.varve.store.internal.async.Causes;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbRequest;

/**
 * One run of a use case with one fault.
 *
 * @param <P> the kind of process
 */
public final class Trial<P extends RunningService> {
    /** What an error must name: a table, an entity or a projection. */
    private static final Pattern NAMED = Pattern.compile("'[^']+'");

    private final UseCase<P> useCase;
    private final Fault fault;
    private final Scene scene = new Scene();
    private final Processes<P> processes;
    private Map<String, List<Map<String, AttributeValue>>> content = Map.of();

    Trial(UseCase<P> useCase, Fault fault, Function<Scene, ? extends Processes<P>> kind) {
        this.useCase = useCase;
        this.fault = fault;
        this.processes = kind.apply(scene);
    }

    public UseCase<P> useCase() {
        return useCase;
    }

    public Scene scene() {
        return scene;
    }

    /** Runs it; returns the requests up to the end of the use case. */
    List<DynamoDbRequest> run() {
        try {
            return tried();
        } catch (Broken | CompletionException e) {
            throw new Broken(useCase + ", " + fault + ": " + e.getMessage(), e);
        }
    }

    private List<DynamoDbRequest> tried() {
        useCase.given().accept(scene);
        P process = processes.start(useCase.fresh() ? Fault.NONE : fault);
        try {
            succeed(useCase.before(), process);
            if (useCase.fresh()) {
                process.end();
                process = processes.start(fault);
            }
            content = scene.server().content();
            process.wire().begin(fault, useCase.counting());
            boolean done = attempt(process);
            List<DynamoDbRequest> sent = process.wire().sent();
            Broken.unless(
                    fault.isNone() || process.wire().hasHappened(), "sends only %d requests this time", sent.size());
            processes.afterwards(this, process, done);
            return sent;
        } finally {
            process.end();
        }
    }

    /** Whether the use case has succeeded; if the fault passes, it must. */
    private boolean attempt(P process) {
        CompletableFuture<?> result = start(useCase.act(), process);
        processes.await(result, process);
        if (process.wire().isGone()) {
            return false;
        }
        Broken.unless(result.isDone(), "gets no answer");
        @Nullable Throwable thrown = result.handle((done, failed) -> failed).join();
        if (thrown == null) {
            return true;
        }
        Throwable cause = Causes.unwrap(thrown);
        if (cause instanceof Broken broken) {
            throw broken;
        }
        if (!process.wire().hasHappened() && processes.isTooSlow(process, cause)) {
            throw new MachineTooSlow(cause);
        }
        if (fault.isNone() || fault.way().meaning() != Meaning.MAY_FAIL) {
            throw new Broken("fails, but the request could be sent again: " + cause, cause);
        }
        requireClear(cause);
        return false;
    }

    private void requireClear(Throwable told) {
        if (processes.isAllThatIsTold(told)) {
            return;
        }
        Throwable cause = cause(told, VarveException.class)
                .orElseThrow(() -> new Broken("is told what no user understands: " + told, told));
        String message = String.valueOf(cause.getMessage());
        Broken.unless(NAMED.matcher(message).find(), "is not told what has failed: %s", message);
        Optional<FailureKind> kind = cause(cause, StoreException.class).map(StoreException::kind);
        Broken.unless(
                kind.filter(processes.kinds(fault.way())::contains).isPresent(), "is told of %s: %s", kind, message);
    }

    /** The first cause of a type, which may be what was thrown. */
    public static <T extends Throwable> Optional<T> cause(Throwable thrown, Class<T> type) {
        return Stream.iterate(thrown, Objects::nonNull, Throwable::getCause)
                .filter(type::isInstance)
                .map(type::cast)
                .findFirst();
    }

    /** Does something that nothing stands in the way of. */
    public void succeed(Step<P> step, P process) {
        CompletableFuture<?> result = start(step, process);
        processes.awaitAfterwards(result, process);
        Broken.unless(result.isDone(), "gets no answer though nothing stands in the way");
        @Nullable Throwable thrown = result.handle((done, failed) -> failed).join();
        if (thrown != null) {
            Throwable cause = Causes.unwrap(thrown);
            if (processes.isTooSlow(process, cause)) {
                throw new MachineTooSlow(cause);
            }
            throw cause instanceof Broken broken
                    ? broken
                    : new Broken("fails though nothing stands in the way: " + cause, cause);
        }
    }

    /** What was to read only must not have changed anything. */
    public void compareContent() {
        Broken.unless(
                !useCase.readsOnly() || content.equals(scene.server().content()), "has changed what it was to read");
    }

    private CompletableFuture<?> start(Step<P> step, P process) {
        try {
            return step.run(scene, process).toCompletableFuture();
        } catch (RuntimeException | Broken e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
