package io.varve.store;

/** A setting that cannot be used; the message begins with its config path. */
public final class SettingsException extends VarveException {
    private static final long serialVersionUID = 1L;

    /** An error in the setting at {@code path}. */
    public SettingsException(String path, String reason) {
        super(path + ": " + reason);
    }
}
