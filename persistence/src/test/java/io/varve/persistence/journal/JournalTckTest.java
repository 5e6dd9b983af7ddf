package io.varve.persistence.journal;

/** The TCK with the default settings. */
public final class JournalTckTest extends JournalTck {
    /** Called by ScalaTest. */
    public JournalTckTest() {
        super("");
    }
}
