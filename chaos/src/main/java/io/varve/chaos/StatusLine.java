package io.varve.chaos;

import java.io.PrintStream;

/** One line that changes on a terminal; elsewhere only what is new. */
final class StatusLine {
    private final PrintStream out;
    private final boolean terminal;
    private int width;

    StatusLine(PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    /** Replaces the line on a terminal. */
    synchronized void show(String text) {
        if (terminal) {
            out.print("\r" + text + " ".repeat(Math.max(0, width - text.length())));
            out.flush();
            width = text.length();
        }
    }

    /** A line that stays. */
    synchronized void print(String text) {
        show("");
        if (terminal) {
            out.print("\r");
        }
        width = 0;
        out.println(text);
    }
}
