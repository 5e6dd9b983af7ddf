package io.varve.persistence.journal;

/** The TCK with marked atomic writes. */
public final class JournalTckMarkedTest extends JournalTck {
    /** Called by ScalaTest. */
    public JournalTckMarkedTest() {
        super("dynamodb-journal.atomic-writes = marked");
    }
}
