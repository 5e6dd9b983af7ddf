package io.varve.persistence.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.persistence.journal.JournalSystem;
import io.varve.persistence.journal.TestEntity;
import io.varve.persistence.journal.TestEntity.Options;
import io.varve.persistence.query.javadsl.DynamoDBReadJournal;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.apache.pekko.persistence.journal.Tagged;
import org.apache.pekko.persistence.query.EventEnvelope;
import org.apache.pekko.persistence.query.NoOffset;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.PersistenceQuery;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The events with a tag, of all entity types that have any. */
class EventsByTagTest {
    @RegisterExtension
    static final JournalSystem JOURNAL = JournalSystem.of("by-tag", """
                        dynamodb-journal.slice-index.shards = 4
                        dynamodb-read-journal.refresh-interval = 50 ms
                        some-types = ${dynamodb-read-journal}
                        some-types.events-by-tag.entity-types = ["order", ""]
                        empty-journal = ${dynamodb-journal}, empty-journal.journal-name = empty
                        empty = ${dynamodb-read-journal}, empty.write-plugin = empty-journal
                        """);

    private static DynamoDBReadJournal journal;

    private final String tag = "tag-" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        journal = journal(DynamoDBReadJournal.Identifier());
    }

    private static DynamoDBReadJournal journal(String section) {
        return PersistenceQuery.get(JOURNAL.system()).getReadJournalFor(DynamoDBReadJournal.class, section);
    }

    private static void persist(String id, Object... events) {
        persistIn("", id, events);
    }

    private static void persistIn(String plugin, String id, Object... events) {
        TestEntity entity = TestEntity.start(JOURNAL.system(), Options.of(id).withJournal(plugin));
        entity.recovered();
        entity.persist(events).expectStored(events.length);
        entity.stop();
    }

    private Tagged tagged(String text, String... more) {
        Set<String> tags = new HashSet<>(Set.of(more));
        tags.add(tag);
        return new Tagged(text, tags);
    }

    private List<EventEnvelope> current(Offset offset) {
        return RunningQuery.all(journal.currentEventsByTag(tag, offset), JOURNAL.system());
    }

    private static String fresh(String type) {
        return type + "|" + UUID.randomUUID();
    }

    @Test
    void current_findsAllEntityTypes_andIdsWithoutOne() {
        persist(fresh("order"), "untagged", tagged("a"), new Tagged("other", Set.of(tag + "x")));
        persist(fresh("cart"), tagged("b", "red", "green"));
        persist(UUID.randomUUID().toString(), tagged("c"));
        TypedTexts.persist(JOURNAL.system(), "typed", UUID.randomUUID().toString(), "untagged", "d#" + tag);
        assertThat(current(NoOffset.getInstance()))
                .extracting(EventEnvelope::event)
                .containsExactly("a", "b", "c", "d#" + tag);
        assertThat(RunningQuery.all(
                        journal("some-types").currentEventsByTag(tag, NoOffset.getInstance()), JOURNAL.system()))
                .extracting(EventEnvelope::event)
                .containsExactly("a", "c");
    }

    @Test
    void unknownTag_isEmpty_alsoInAJournalWithoutEvents() {
        assertThat(current(NoOffset.getInstance())).isEmpty();
        assertThat(RunningQuery.all(journal("empty").currentEventsByTag(tag, NoOffset.getInstance()), JOURNAL.system()))
                .isEmpty();
    }

    @Test
    void live_findsATypeThatHadNoTaggedEventWhenItStarted() {
        String type = "new" + UUID.randomUUID();
        persist(fresh(type), "untagged");
        persist(fresh("order"), tagged("a"));
        try (RunningQuery<EventEnvelope> live =
                RunningQuery.of(journal.eventsByTag(tag, NoOffset.getInstance()), JOURNAL.system())) {
            assertThat(live.next().event()).isEqualTo("a");
            persist(fresh(type), "untagged", tagged("b"));
            assertThat(live.next().event()).isEqualTo("b");
            persist(fresh("order"), tagged("c"));
            assertThat(live.next().event()).isEqualTo("c");
        }
    }

    @Test
    void live_inAJournalWithoutEvents_findsTheFirst() {
        try (RunningQuery<EventEnvelope> live =
                RunningQuery.of(journal("empty").eventsByTag("first", NoOffset.getInstance()), JOURNAL.system())) {
            persistIn("empty-journal", fresh("order"), new Tagged("a", Set.of("first")));
            assertThat(live.next().event()).isEqualTo("a");
        }
    }

    @Test
    void resumed_fromTheLastOffset_goesOn() {
        String id = fresh("order");
        persist(id, tagged("a"), "untagged", tagged("b"));
        persist(fresh("cart"), tagged("c"));
        List<EventEnvelope> all = current(NoOffset.getInstance());
        assertThat(all).extracting(EventEnvelope::event).containsExactly("a", "b", "c");
        assertThat(current(all.get(1).offset()))
                .extracting(EventEnvelope::event)
                .contains("c")
                .doesNotContain("b");
        try (RunningQuery<EventEnvelope> live =
                RunningQuery.of(journal.eventsByTag(tag, all.get(2).offset()), JOURNAL.system())) {
            persist(id, tagged("d"));
            EventEnvelope next = live.next();
            while (Set.of("a", "b").contains(next.event())) { // of the window before the offset
                next = live.next();
            }
            assertThat(next.event()).isEqualTo("d");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {" ", "a,b", "ü€𝄞", "a|b;c", "\"quoted\"", "a:b-c/d\\e", "#tag", "TAG", "tag"})
    void tagWithOddCharacters_isATagLikeOthers(String odd) {
        String text = UUID.randomUUID().toString();
        persist(fresh("odd"), new Tagged(text, Set.of(odd)), new Tagged("no", Set.of(odd + "2")));
        assertThat(RunningQuery.all(journal.currentEventsByTag(odd, NoOffset.getInstance()), JOURNAL.system()))
                .extracting(EventEnvelope::event)
                .containsExactly(text);
    }

    @Test
    void scaladsl_isTheSame() {
        persist(fresh("order"), tagged("a"), tagged("b"));
        io.varve.persistence.query.scaladsl.DynamoDBReadJournal scala =
                PersistenceQuery.get(JOURNAL.system()).readJournalFor(DynamoDBReadJournal.Identifier());
        assertThat(RunningQuery.all(
                        scala.currentEventsByTag(tag, NoOffset.getInstance()).asJava(), JOURNAL.system()))
                .extracting(EventEnvelope::event)
                .containsExactly("a", "b");
        try (RunningQuery<EventEnvelope> live =
                RunningQuery.of(scala.eventsByTag(tag, NoOffset.getInstance()).asJava(), JOURNAL.system())) {
            assertThat(live.next(2)).extracting(EventEnvelope::event).containsExactly("a", "b");
        }
    }
}
