package io.varve.projection.internal.pekko;

import io.varve.persistence.internal.plugin.Futures;
import io.varve.projection.internal.settings.ProjectionOptions;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.projection.HandlerRecoveryStrategy;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.RunningProjection;
import org.apache.pekko.projection.StatusObserver;
import org.apache.pekko.projection.internal.ActorHandlerInit;
import org.apache.pekko.projection.javadsl.AtLeastOnceFlowProjection;
import org.apache.pekko.projection.javadsl.AtLeastOnceProjection;
import org.apache.pekko.projection.javadsl.ExactlyOnceProjection;
import org.apache.pekko.projection.javadsl.GroupedProjection;
import org.apache.pekko.stream.RestartSettings;
import org.apache.pekko.stream.javadsl.Source;
import scala.Option;
import scala.concurrent.Future;
import scala.concurrent.duration.FiniteDuration;

/** A projection as Pekko sees it, of any kind; the entry points show of it what each has. Immutable. */
public final class PekkoProjection<E>
        implements ExactlyOnceProjection<Offset, E>,
                AtLeastOnceProjection<Offset, E>,
                AtLeastOnceFlowProjection<Offset, E>,
                GroupedProjection<Offset, E> {
    private final Runner<E> runner;
    private final ProjectionOptions<E> options;

    /** What runs a projection. */
    public interface Runner<E> {
        /** The stream of the projection until it ends or fails. */
        Source<Done, CompletionStage<Done>> once(ProjectionOptions<E> options, ActorSystem<?> system);

        /** Runs the projection, and starts it again when it fails. */
        RunningProjection run(ProjectionOptions<E> options, ActorSystem<?> system);
    }

    public PekkoProjection(Runner<E> runner, ProjectionOptions<E> options) {
        this.runner = runner;
        this.options = options;
    }

    private PekkoProjection<E> with(ProjectionOptions<E> other) {
        return new PekkoProjection<>(runner, other);
    }

    private PekkoProjection<E> with(RestartSettings restart) {
        return with(options.withRestart(restart));
    }

    @Override
    public ProjectionId projectionId() {
        return options.id();
    }

    @Override
    public PekkoProjection<E> withRestartBackoff(FiniteDuration min, FiniteDuration max, double randomFactor) {
        return with(RestartSettings.apply(min, max, randomFactor));
    }

    @Override
    public PekkoProjection<E> withRestartBackoff(
            FiniteDuration min, FiniteDuration max, double randomFactor, int maxRestarts) {
        return with(RestartSettings.apply(min, max, randomFactor).withMaxRestarts(maxRestarts, min));
    }

    @Override
    public PekkoProjection<E> withRestartBackoff(Duration min, Duration max, double randomFactor) {
        return with(RestartSettings.create(min, max, randomFactor));
    }

    @Override
    public PekkoProjection<E> withRestartBackoff(Duration min, Duration max, double randomFactor, int maxRestarts) {
        return with(RestartSettings.create(min, max, randomFactor).withMaxRestarts(maxRestarts, min));
    }

    @Override
    public StatusObserver<E> statusObserver() {
        return options.observer();
    }

    @Override
    public PekkoProjection<E> withStatusObserver(StatusObserver<E> observer) {
        return with(options.withObserver(observer));
    }

    @Override
    public PekkoProjection<E> withRecoveryStrategy(HandlerRecoveryStrategy recoveryStrategy) {
        return with(options.withRecoveryStrategy(recoveryStrategy));
    }

    @Override
    public PekkoProjection<E> withSaveOffset(int afterEnvelopes, Duration afterDuration) {
        return with(options.withSave(afterEnvelopes, afterDuration));
    }

    @Override
    public PekkoProjection<E> withGroup(int groupAfterEnvelopes, Duration groupAfterDuration) {
        return with(options.withGroup(groupAfterEnvelopes, groupAfterDuration));
    }

    /** An actor handler's actor is started with its handler, not by Pekko. */
    @Override
    public <T> Option<ActorHandlerInit<T>> actorHandlerInit() {
        return Option.empty();
    }

    @Override
    public org.apache.pekko.stream.scaladsl.Source<Done, Future<Done>> mappedSource(ActorSystem<?> system) {
        return runner.once(options, system)
                .mapMaterializedValue(Futures::<Done>toScala)
                .asScala();
    }

    @Override
    public RunningProjection run(ActorSystem<?> system) {
        return runner.run(options, system);
    }
}
