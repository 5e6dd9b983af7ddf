package io.varve.simulation.failsonce;

/** A process of a service at one end of a wire. What it knows is gone with it. */
public interface RunningService {
    /** Its way to DynamoDB. */
    Wire wire();

    /** Ends it as a crash does: it sends nothing more, and hears nothing more. */
    default void end() {
        wire().end();
    }
}
