package io.varve.persistence.journal;

/** The TCK with more sequence shards than one batch can read, another journal-name and no index. */
public final class JournalTckManyShardsTest extends JournalTck {
    /** Called by ScalaTest. */
    public JournalTckManyShardsTest() {
        super("dynamodb-journal { sequence-shards = 150, journal-name = other, slice-index.enabled = off }");
    }
}
