package io.varve.persistence;

import com.typesafe.config.Config;
import io.varve.persistence.internal.query.Queries;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.persistence.query.ReadJournalProvider;

/** Makes the read journal of a section, for Java and for Scala. */
public final class DynamoDBReadJournalProvider implements ReadJournalProvider {
    private final Queries queries;
    private final ExtendedActorSystem system;

    /** Called by Pekko with the plugin's section and its path. */
    public DynamoDBReadJournalProvider(ExtendedActorSystem system, Config section, String path) {
        this.system = system;
        this.queries = new Queries(system, section, path);
    }

    @Override
    public io.varve.persistence.query.scaladsl.DynamoDBReadJournal scaladslReadJournal() {
        return new io.varve.persistence.query.scaladsl.DynamoDBReadJournal(system, queries);
    }

    @Override
    public io.varve.persistence.query.javadsl.DynamoDBReadJournal javadslReadJournal() {
        return new io.varve.persistence.query.javadsl.DynamoDBReadJournal(system, queries);
    }
}
