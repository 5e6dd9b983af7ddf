package io.varve.chaos.check;

/** A promise that was not kept. */
public record Violation(String account, String what) {
    @Override
    public String toString() {
        return account + ": " + what;
    }
}
