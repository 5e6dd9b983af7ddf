package io.varve.simulation.failsonce.pekko;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.PoisonPill;
import org.apache.pekko.actor.typed.javadsl.ActorContext;

/** A persistent actor that runs, as its clients see it: a question is answered, or the actor has failed. */
final class Entity {
    /**
     * An actor has recovered.
     *
     * @param snapshot from which it began, if it did
     * @param events what was replayed, in this order
     */
    record Recovered(Optional<SavedState> snapshot, List<String> events, long highest) {}

    record SavedState(long number, String text) {}

    /** Where an actor tells what happens to it. */
    record Reports(CompletableFuture<Recovered> recovered, CompletableFuture<Void> failed) {}

    /** How an actor is made. */
    interface Kind {
        ActorRef start(ActorContext<?> parent, String id, Reports reports);
    }

    /** What an actor can be asked, with the place for its answer. */
    sealed interface Question {}

    /** Stores events together; the answer is the last number. */
    record Persist(List<String> texts, CompletableFuture<Long> answer) implements Question {}

    /** Stores events one by one without waiting; each has its answer. */
    record PersistAsync(List<String> texts, List<CompletableFuture<Long>> answers) implements Question {}

    /** Tries to store an event that must be rejected. */
    record PersistTooLarge(String text, CompletableFuture<Long> answer) implements Question {}

    record DeleteEvents(long to, CompletableFuture<Long> answer) implements Question {}

    record SaveState(String text, CompletableFuture<Long> answer) implements Question {}

    /** Deletes snapshots; one, if both numbers are the same. */
    record DeleteStates(long from, long to, CompletableFuture<Long> answer) implements Question {}

    private final CompletableFuture<ActorRef> actor;
    private final CompletableFuture<Void> failed = new CompletableFuture<>();
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private final CompletableFuture<Recovered> recovered;
    private volatile long next;

    /** Starts it. */
    Entity(PekkoProcess process, Kind kind, String id) {
        end.whenComplete((ended, thrown) -> failed.completeExceptionally(
                thrown == null ? new IllegalStateException("The actor has stopped.") : thrown));
        this.recovered = orFailed(new CompletableFuture<>());
        this.actor = process.start(parent -> kind.start(parent, id, new Reports(recovered, failed)), end);
    }

    boolean isAlive() {
        return !failed.isDone();
    }

    CompletableFuture<Recovered> recovered() {
        return recovered;
    }

    /** The number of its next event; 0 as long as nobody has noted what it has recovered. */
    long next() {
        return next;
    }

    void next(long number) {
        next = number;
    }

    /** The answer, unless the actor fails before. */
    <T> CompletableFuture<T> orFailed(CompletableFuture<T> answer) {
        failed.whenComplete((ended, thrown) -> {
            if (thrown != null) {
                answer.completeExceptionally(thrown);
            }
        });
        return answer;
    }

    void ask(Question question) {
        actor.thenAccept(ref -> ref.tell(question, ActorRef.noSender()));
    }

    /** Stops the actor; done when it has. */
    CompletionStage<Void> stop() {
        actor.thenAccept(ref -> ref.tell(PoisonPill.getInstance(), ActorRef.noSender()));
        return end.exceptionally(thrown -> null);
    }
}
