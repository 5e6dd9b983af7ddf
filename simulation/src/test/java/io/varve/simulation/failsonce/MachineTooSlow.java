package io.varve.simulation.failsonce;

/** A run says nothing, because what must succeed had not enough time on this machine; it is repeated with more. */
final class MachineTooSlow extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MachineTooSlow(Throwable cause) {
        super(cause);
    }
}
