package io.varve.projection;

import java.time.Duration;
import java.time.Instant;
import org.apache.pekko.projection.ProjectionId;

/** Is told how far the projections of an actor system are, and what hinders them; it must not block. */
public interface ProgressObserver {

    /**
     * A place was stored.
     *
     * @param seen the time of the newest event that has come in the slice
     * @param stored the time up to which its events are processed; their difference is the lag
     */
    void stored(ProjectionId projection, int slice, Instant seen, Instant stored);

    /** Envelopes are processed or skipped, and that is stored. */
    default void processed(ProjectionId projection, int envelopes) {}

    /** The handler has failed; what comes next is decided by the recovery strategy. */
    default void handlerFailed(ProjectionId projection, Throwable cause) {}

    /**
     * DynamoDB did not do what the projection needs, and may do it later; it waits and tries again. Called for each attempt.
     *
     * @param lasting since when nothing of that kind has worked
     */
    default void outage(ProjectionId projection, Throwable cause, Duration lasting) {}

    /** The projection has failed, and begins anew after a pause. */
    default void failed(ProjectionId projection, Throwable cause) {}

    /** The projection has ended on this node, perhaps to begin anew here or elsewhere. */
    default void stopped(ProjectionId projection) {}

    /** An entity is set aside, because the handler has failed for good for one of its events. */
    default void parked(ProjectionId projection, String persistenceId, long sequenceNumber, Throwable cause) {}

    /** So many entities of this instance are set aside, those included that are being retried; told when it may have changed. */
    default void parkedEntities(ProjectionId projection, int entities) {}
}
