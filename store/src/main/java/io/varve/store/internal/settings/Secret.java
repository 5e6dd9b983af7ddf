package io.varve.store.internal.settings;

/** A value that must never be printed: its {@code toString} is masked. */
public record Secret(String value) {
    @Override
    public String toString() {
        return value.isEmpty() ? "" : "***";
    }
}
