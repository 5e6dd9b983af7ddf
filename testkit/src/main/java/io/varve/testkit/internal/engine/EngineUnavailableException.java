package io.varve.testkit.internal.engine;

/** An engine that is not to be had on this machine; the message says what to do. */
public final class EngineUnavailableException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    EngineUnavailableException(String message) {
        super(message);
    }
}
