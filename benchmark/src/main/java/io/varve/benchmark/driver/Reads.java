package io.varve.benchmark.driver;

import java.util.Map;
import java.util.Optional;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.persistence.query.PersistenceQuery;
import org.apache.pekko.persistence.query.javadsl.CurrentEventsByPersistenceIdQuery;
import org.apache.pekko.persistence.query.javadsl.CurrentLastSequenceNumberByPersistenceIdQuery;
import org.apache.pekko.persistence.query.javadsl.ReadJournal;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.persistence.query.typed.javadsl.LoadEventQuery;
import org.apache.pekko.stream.javadsl.Sink;

/** Queries of the read journal, whichever plugin has it. */
final class Reads {
    private final ActorSystem system;

    Reads(ActorSystem system) {
        this.system = system;
    }

    /** Reads the events that an entity has now, from a sequence number on; the bound is the highest that the predecessor takes. */
    Map<String, ?> events(String id, long from) throws Exception {
        long events = ActorNode.await(((CurrentEventsByPersistenceIdQuery) journal())
                .currentEventsByPersistenceId(id, from, Integer.MAX_VALUE)
                .runWith(Sink.fold(0L, (count, event) -> count + 1), system));
        return Map.of("events", events);
    }

    /** Finds an entity's last sequence number. The predecessor's Pekko does not know this query. */
    Map<String, ?> lastNumber(String id) throws Exception {
        Optional<Long> last = ActorNode.await(((CurrentLastSequenceNumberByPersistenceIdQuery) journal())
                .currentLastSequenceNumberByPersistenceId(id));
        return Map.of("number", last.orElse(0L));
    }

    /** Loads one event. */
    Map<String, ?> event(String id, long number) throws Exception {
        EventEnvelope<Object> event = ActorNode.await(((LoadEventQuery) journal()).loadEnvelope(id, number));
        return Map.of("number", event.sequenceNr());
    }

    private ReadJournal journal() {
        return PersistenceQuery.get(system).getReadJournalFor(ReadJournal.class, "dynamodb-read-journal");
    }
}
