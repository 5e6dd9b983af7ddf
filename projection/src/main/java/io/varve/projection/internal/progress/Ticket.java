package io.varve.projection.internal.progress;

/** The right of an entity's events to be processed, given when they are let in. It is void for good when the entity is parked. */
final class Ticket {
    private volatile boolean isVoid;

    void revoke() {
        isVoid = true;
    }

    boolean isVoid() {
        return isVoid;
    }
}
