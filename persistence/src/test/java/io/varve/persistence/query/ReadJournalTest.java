package io.varve.persistence.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.persistence.journal.JournalSystem;
import io.varve.persistence.journal.TestEntity;
import io.varve.persistence.query.javadsl.DynamoDBReadJournal;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.persistence.query.EventEnvelope;
import org.apache.pekko.persistence.query.NoOffset;
import org.apache.pekko.persistence.query.PersistenceQuery;
import org.apache.pekko.stream.KillSwitches;
import org.apache.pekko.stream.UniqueKillSwitch;
import org.apache.pekko.stream.javadsl.Keep;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The queries as an application calls them. */
class ReadJournalTest {
    @RegisterExtension
    static final JournalSystem JOURNAL = JournalSystem.of("read-journal", "");

    private static DynamoDBReadJournal journal;

    private final String type = "t" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        journal = PersistenceQuery.get(JOURNAL.system())
                .getReadJournalFor(DynamoDBReadJournal.class, DynamoDBReadJournal.Identifier());
    }

    private static <T> List<T> all(Source<T, ?> source) {
        return source.runWith(Sink.seq(), JOURNAL.system())
                .toCompletableFuture()
                .join();
    }

    @Test
    void currentEventsBySlices_hasAllEventsOfTheType() {
        TestEntity one = TestEntity.start(JOURNAL.system(), type + "|1");
        one.recovered();
        one.persist("a", "b", "c").expectStored(3);
        assertThat(all(journal.<String>currentEventsBySlices(type, 0, 1023, NoOffset.getInstance())))
                .extracting(envelope -> envelope.getEvent())
                .containsExactly("a", "b", "c");
    }

    @Test
    void eventsBySlices_emitsWhatIsStoredLater() throws Exception {
        BlockingQueue<String> received = new LinkedBlockingQueue<>();
        UniqueKillSwitch stop = journal.<String>eventsBySlices(type, 0, 1023, NoOffset.getInstance())
                .viaMat(KillSwitches.single(), Keep.right())
                .to(Sink.foreach(envelope -> received.add(envelope.getEvent())))
                .run(JOURNAL.system());
        TestEntity one = TestEntity.start(JOURNAL.system(), type + "|1");
        one.recovered();
        for (int i = 0; i < 20; i++) {
            one.persist("e" + i).expectStored(1);
            assertThat(received.poll(10, TimeUnit.SECONDS)).isEqualTo("e" + i);
        }
        stop.shutdown();
    }

    @Test
    void eventsByPersistenceId_emitsWhatIsStoredLater() {
        TestEntity one = TestEntity.start(JOURNAL.system(), type + "|1");
        one.recovered();
        one.persist("a", "b").expectStored(2);
        assertThat(all(journal.eventsByPersistenceId(type + "|1", 1, 2)))
                .extracting(EventEnvelope::event)
                .containsExactly("a", "b");
        assertThat(all(journal.currentPersistenceIds())).contains(type + "|1");
    }
}
