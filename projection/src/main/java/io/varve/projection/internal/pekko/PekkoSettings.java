package io.varve.projection.internal.pekko;

import io.varve.projection.internal.settings.ProjectionOptions;
import java.util.function.Supplier;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.RunningProjection;
import org.apache.pekko.projection.internal.NoopStatusObserver;
import org.apache.pekko.projection.internal.ProjectionSettings;
import org.apache.pekko.stream.RestartSettings;
import org.apache.pekko.stream.javadsl.Source;
import scala.jdk.javaapi.DurationConverters;

/** What {@code pekko.projection} says. */
public final class PekkoSettings {
    private PekkoSettings() {}

    /** The options of a projection for which nothing else is set. */
    public static <E> ProjectionOptions<E> options(ProjectionId id, ActorSystem<?> system) {
        ProjectionSettings pekko = ProjectionSettings.apply(system);
        return new ProjectionOptions<>(
                id,
                pekko.restartBackoff(),
                pekko.recoveryStrategy(),
                pekko.saveOffsetAfterEnvelopes(),
                DurationConverters.toJava(pekko.saveOffsetAfterDuration()),
                pekko.groupAfterEnvelopes(),
                DurationConverters.toJava(pekko.groupAfterDuration()),
                NoopStatusObserver.getInstance());
    }

    /** One source after another, each after a failure of the one before, with pauses. */
    public static Source<Done, ?> restarting(
            Supplier<Source<Done, ?>> next, RestartSettings restart, ActorSystem<?> system) {
        ProjectionSettings pekko = ProjectionSettings.apply(system);
        ProjectionSettings restarts = new ProjectionSettings(
                restart,
                pekko.saveOffsetAfterEnvelopes(),
                pekko.saveOffsetAfterDuration(),
                pekko.groupAfterEnvelopes(),
                pekko.groupAfterDuration(),
                pekko.recoveryStrategy());
        return RunningProjection.withBackoff(() -> next.get().asScala(), restarts)
                .asJava();
    }
}
