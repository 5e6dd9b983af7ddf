package io.varve.persistence.journal;

/** The TCK with the predecessors' ten sequence shards. */
public final class JournalTckTenShardsTest extends JournalTck {
    /** Called by ScalaTest. */
    public JournalTckTenShardsTest() {
        super("dynamodb-journal.sequence-shards = 10");
    }
}
