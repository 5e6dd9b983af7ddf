package io.varve.projection;

import java.time.Instant;
import org.apache.pekko.projection.ProjectionId;

/** Is told how far the slices of projections are, each time their places are stored; it must not block. */
public interface ProgressObserver {

    /**
     * A place was stored.
     *
     * @param seen the time of the newest event that has come in the slice
     * @param stored the time up to which its events are processed; their difference is the lag
     */
    void stored(ProjectionId projection, int slice, Instant seen, Instant stored);
}
