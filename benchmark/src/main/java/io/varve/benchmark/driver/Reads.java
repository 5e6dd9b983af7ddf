package io.varve.benchmark.driver;

import java.util.Map;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.persistence.query.PersistenceQuery;
import org.apache.pekko.persistence.query.javadsl.CurrentEventsByPersistenceIdQuery;
import org.apache.pekko.persistence.query.javadsl.ReadJournal;
import org.apache.pekko.stream.javadsl.Sink;

/** Queries of the read journal, whichever plugin has it. */
final class Reads {
    private final ActorSystem system;

    Reads(ActorSystem system) {
        this.system = system;
    }

    /** Reads the events that an entity has now, up to a sequence number. */
    Map<String, ?> events(String id, long to) throws Exception {
        ReadJournal journal =
                PersistenceQuery.get(system).getReadJournalFor(ReadJournal.class, "dynamodb-read-journal");
        long events = ActorNode.await(((CurrentEventsByPersistenceIdQuery) journal)
                .currentEventsByPersistenceId(id, 1, to)
                .runWith(Sink.fold(0L, (count, event) -> count + 1), system));
        return Map.of("events", events);
    }
}
