package io.varve.projection.internal.reached;

import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.apache.pekko.Done;

/** An instance of a projection that runs on this node. */
public interface RunningInstance {

    /** Whether it processes the events of a slice. */
    boolean covers(int slice);

    /** The number of the event of an entity that it has processed last; absent if it has none in memory. */
    OptionalLong reached(String persistenceId);

    /**
     * Completes when that event is processed; fails with {@link InstanceEndedException} when the instance ends before. Cancel it
     * when nobody waits any more.
     */
    CompletableFuture<Done> whenReached(String persistenceId, long sequenceNumber);

    /** Looks at what is ordered for parked entities now, and not only when it is time to. */
    void checkParked();
}
