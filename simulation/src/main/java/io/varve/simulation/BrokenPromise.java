package io.varve.simulation;

/** What the store promises did not hold. */
final class BrokenPromise extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BrokenPromise(String what) {
        super(what);
    }

    BrokenPromise(String what, Throwable cause) {
        super(what, cause);
    }
}
