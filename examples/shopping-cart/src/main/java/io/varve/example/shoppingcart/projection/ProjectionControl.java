package io.varve.example.shoppingcart.projection;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.cluster.typed.ClusterSingleton;
import org.apache.pekko.cluster.typed.SingletonActor;
import org.apache.pekko.pattern.StatusReply;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.javadsl.ProjectionManagement;
import org.jspecify.annotations.Nullable;

/**
 * Pauses, resumes and rewinds projections, all instances of one at a time.
 *
 * <p>One actor in the cluster does it, and refuses an order while it is busy with another: two rewinds at once could clear the
 * table of popular items after the other has begun to count again.
 */
public final class ProjectionControl {
    private static final Duration PATIENCE = Duration.ofSeconds(50);

    private final ActorSystem<?> system;
    private final Projections projections;
    private final PopularItemsTable table;
    private final ActorRef<Message> singleton;

    private ProjectionControl(ActorSystem<?> system, Projections projections, PopularItemsTable table) {
        this.system = system;
        this.projections = projections;
        this.table = table;
        this.singleton = ClusterSingleton.get(system)
                .init(SingletonActor.of(Behaviors.setup(context -> idle()), "projection-control"));
    }

    /** What can be done with a projection. */
    public enum Action {
        /** Stop processing; stays so over restarts. */
        PAUSE,
        /** Go on. */
        RESUME,
        /** Process all events again, from the first one on. */
        REWIND
    }

    sealed interface Message {}

    record Order(String projection, Action action, ActorRef<StatusReply<Done>> replyTo) implements Message {}

    private record Finished(Order order, @Nullable Throwable failure) implements Message {}

    /** The control of this actor system's cluster. */
    public static ProjectionControl init(ActorSystem<?> system, Projections projections, PopularItemsTable table) {
        return new ProjectionControl(system, projections, table);
    }

    /** Does it with all instances of a projection; fails with {@link StatusReply.ErrorMessage} if something else is going on. */
    public CompletionStage<Done> order(String projection, Action action) {
        return AskPattern.askWithStatus(
                singleton, replyTo -> new Order(projection, action, replyTo), PATIENCE, system.scheduler());
    }

    private Behavior<Message> idle() {
        return Behaviors.receive((context, message) -> {
            if (message instanceof Order order) {
                context.pipeToSelf(carryOut(order), (done, failure) -> new Finished(order, failure));
                return busy(order);
            }
            return Behaviors.unhandled();
        });
    }

    private Behavior<Message> busy(Order current) {
        return Behaviors.receive((context, message) -> {
            if (message instanceof Order order) {
                order.replyTo()
                        .tell(StatusReply.error("A %s of %s is under way; try again when it is done."
                                .formatted(current.action().name().toLowerCase(Locale.ROOT), current.projection())));
                return Behaviors.same();
            }
            if (message instanceof Finished finished) {
                current.replyTo()
                        .tell(
                                finished.failure() == null
                                        ? StatusReply.success(Done.getInstance())
                                        : StatusReply.error("It is not complete, do it again: " + finished.failure()));
                return idle();
            }
            return Behaviors.unhandled();
        });
    }

    private CompletionStage<Done> carryOut(Order order) {
        ProjectionManagement management = ProjectionManagement.get(system);
        String projection = order.projection();
        return switch (order.action()) {
            case PAUSE -> all(projection, management::pause);
            case RESUME -> all(projection, management::resume);
            case REWIND ->
                all(projection, management::pause)
                        .thenCompose(paused -> forget(projection))
                        .thenCompose(forgotten -> all(projection, management::clearOffset))
                        .thenCompose(cleared -> all(projection, management::resume));
        };
    }

    /** What was counted would be counted a second time. A mail that was sent cannot be taken back. */
    private CompletionStage<Done> forget(String projection) {
        return projection.equals(Projections.POPULAR_ITEMS)
                ? table.clear()
                : CompletableFuture.completedFuture(Done.getInstance());
    }

    /** One after another, because each writes a row for every slice. */
    private CompletionStage<Done> all(String projection, Function<ProjectionId, CompletionStage<Done>> operation) {
        CompletionStage<Done> all = CompletableFuture.completedFuture(Done.getInstance());
        for (Projections.Instance instance : projections.instances()) {
            all = all.thenCompose(done -> operation.apply(instance.of(projection)));
        }
        return all;
    }
}
