package io.varve.persistence.journal;

/** The TCK with one sequence shard. */
public final class JournalTckOneShardTest extends JournalTck {
    /** Called by ScalaTest. */
    public JournalTckOneShardTest() {
        super("dynamodb-journal.sequence-shards = 1");
    }
}
