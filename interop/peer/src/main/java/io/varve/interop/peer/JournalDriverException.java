package io.varve.interop.peer;

/** The journal answered otherwise than the driver's caller expects, or not at all. */
public final class JournalDriverException extends RuntimeException {

    /** What happened, to which actor. */
    public JournalDriverException(String message) {
        super(message);
    }

    /** What happened, to which actor, and why. */
    public JournalDriverException(String message, Throwable cause) {
        super(message, cause);
    }
}
