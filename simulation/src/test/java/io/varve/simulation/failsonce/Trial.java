package io.varve.simulation.failsonce;

import io.varve.simulation.failsonce.JournalItems.Leftovers;
import io.varve.simulation.failsonce.Way.Meaning;
import io.varve.store.FailureKind;
import io.varve.store.StoreException;
import io.varve.store.VarveException;
import io.varve.store.internal.async.Causes;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbRequest;

/** One run of a use case with one fault. */
final class Trial {
    /** What no use case takes longer than, all its steps with their retries together. */
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    /** The same for what follows, where much time passes between two steps. */
    private static final Duration AFTERWARDS = Duration.ofHours(2);

    /** What an error must name: a table, an entity or a projection. */
    private static final Pattern NAMED = Pattern.compile("'[^']+'");

    private final UseCase useCase;
    private final Fault fault;
    private final Scene scene = new Scene();

    Trial(UseCase useCase, Fault fault) {
        this.useCase = useCase;
        this.fault = fault;
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
        Steps.TABLES.run(scene, scene.start());
        ServiceProcess process = scene.start();
        succeed(useCase.before(), process);
        if (useCase.fresh()) {
            process.wire().end();
            process = scene.start();
        }
        Map<String, List<Map<String, AttributeValue>>> content = scene.server().content();
        process.wire().begin(fault);
        boolean done = attempt(process);
        List<DynamoDbRequest> sent = process.wire().sent();
        Broken.unless(fault.isNone() || process.wire().hasHappened(), "sends only %d requests this time", sent.size());
        process.wire().end();

        ServiceProcess second = scene.start();
        Leftovers leftovers = done ? Leftovers.OF_WRITES : Leftovers.OF_ALL_THAT_FAILED;
        succeed(Steps.lookAtAll(leftovers).then(useCase.check().step(scene, done)), second);
        if (!done) {
            succeed(useCase.act(), second);
        }
        second.wire().end();
        succeed(Steps.lookAtAll(Leftovers.OF_WRITES).then(useCase.check().step(scene, true)), scene.start());
        Broken.unless(
                !useCase.readsOnly() || content.equals(scene.server().content()), "has changed what it was to read");
        succeed(Steps.goOn().then(Steps.lookAtAll(Leftovers.NONE)), scene.start());
        return sent;
    }

    /** Whether the use case has succeeded; if the fault passes, it must. */
    private boolean attempt(ServiceProcess process) {
        CompletableFuture<?> result = start(useCase.act(), process);
        scene.timeline().run(() -> result.isDone() || process.wire().isGone(), PATIENCE);
        if (process.wire().isGone()) {
            return false;
        }
        Broken.unless(result.isDone(), "gets no answer within %s", PATIENCE);
        @Nullable Throwable thrown = result.handle((done, failed) -> failed).join();
        if (thrown == null) {
            return true;
        }
        Throwable cause = Causes.unwrap(thrown);
        if (cause instanceof Broken broken) {
            throw broken;
        }
        if (fault.isNone() || fault.way().meaning() != Meaning.MAY_FAIL) {
            throw new Broken("fails, but the request could be sent again: " + cause, cause);
        }
        requireClear(cause);
        return false;
    }

    private void requireClear(Throwable cause) {
        if (!(cause instanceof VarveException)) {
            throw new Broken("is told what no user understands: " + cause, cause);
        }
        String message = String.valueOf(cause.getMessage());
        Broken.unless(NAMED.matcher(message).find(), "is not told what has failed: %s", message);
        @Nullable FailureKind kind = kind(cause);
        Broken.unless(
                kind != null
                        && switch (fault.way()) {
                            case DENIED -> kind == FailureKind.REFUSED;
                            case THROTTLED -> kind == FailureKind.THROTTLED;
                            default -> kind == FailureKind.CONNECTION || kind == FailureKind.NOT_SENT;
                        },
                "is told of %s: %s",
                String.valueOf(kind),
                message);
    }

    private static @Nullable FailureKind kind(Throwable thrown) {
        @Nullable Throwable cause = thrown;
        while (cause != null && !(cause instanceof StoreException)) {
            cause = cause.getCause();
        }
        return cause instanceof StoreException store ? store.kind() : null;
    }

    /** Does something that nothing stands in the way of. */
    private void succeed(Step step, ServiceProcess process) {
        CompletableFuture<?> result = start(step, process);
        scene.timeline().run(result::isDone, AFTERWARDS);
        Broken.unless(result.isDone(), "gets no answer after a fresh start");
        @Nullable Throwable thrown = result.handle((done, failed) -> failed).join();
        if (thrown != null) {
            Throwable cause = Causes.unwrap(thrown);
            throw cause instanceof Broken broken
                    ? broken
                    : new Broken("fails though nothing stands in the way: " + cause, cause);
        }
    }

    private CompletableFuture<?> start(Step step, ServiceProcess process) {
        try {
            CompletionStage<?> stage = step.run(scene, process);
            return stage.toCompletableFuture();
        } catch (RuntimeException | Broken e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
