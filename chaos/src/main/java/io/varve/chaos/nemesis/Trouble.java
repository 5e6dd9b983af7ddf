package io.varve.chaos.nemesis;

/** What prevents the cluster from working again when all faults are mended: a failure of the run. */
public final class Trouble extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Trouble(String message) {
        super(message);
    }
}
