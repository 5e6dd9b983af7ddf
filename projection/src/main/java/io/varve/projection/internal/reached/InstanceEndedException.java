package io.varve.projection.internal.reached;

import io.varve.store.VarveException;

/** The instance that was to tell has ended: another one, perhaps elsewhere, processes the event. */
public final class InstanceEndedException extends VarveException {
    private static final long serialVersionUID = 1L;

    public InstanceEndedException() {
        super("The instance of the projection has ended.");
    }
}
