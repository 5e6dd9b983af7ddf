package io.varve.persistence.journal;

/** The TCK with an asynchronous serializer. */
public final class JournalTckAsyncSerializerTest extends JournalTck {
    /** Called by ScalaTest. */
    public JournalTckAsyncSerializerTest() {
        super("""
                pekko.actor.serializers.slow = "io.varve.persistence.journal.SlowStringSerializer"
                pekko.actor.serialization-bindings."java.lang.String" = slow
                """);
    }
}
