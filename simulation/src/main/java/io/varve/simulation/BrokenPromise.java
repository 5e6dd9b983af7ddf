package io.varve.simulation;

/** What the store promises did not hold. */
final class BrokenPromise extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String about;

    BrokenPromise(String what) {
        this(what, "");
    }

    /** One that is about an entity, a consumer or a projection: the lines of the log that name it tell the story. */
    BrokenPromise(String what, String about) {
        super(what);
        this.about = about;
    }

    BrokenPromise(String what, Throwable cause) {
        super(what, cause);
        this.about = "";
    }

    /** What it is about; empty if that is not known. */
    String about() {
        return about;
    }
}
