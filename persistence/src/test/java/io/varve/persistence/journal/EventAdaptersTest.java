package io.varve.persistence.journal;

import static io.varve.persistence.journal.TestEntity.freshId;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.persistence.journal.TestEntity.Rejected;
import io.varve.persistence.journal.TestEntity.Stored;
import io.varve.persistence.journal.TestJournal.StoredItem;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What stands between an actor and the stored item: event adapters, tags, asynchronous serializers. */
class EventAdaptersTest {
    @RegisterExtension
    static final JournalSystem JOURNAL = JournalSystem.of("adapters", """
                        adapted-journal = ${dynamodb-journal}
                        adapted-journal {
                          event-adapters.wrapping = "io.varve.persistence.journal.WrappingAdapter"
                          event-adapter-bindings."java.lang.String" = wrapping
                        }
                        pekko.actor.serializers.slow = "io.varve.persistence.journal.SlowStringSerializer"
                        pekko.actor.serialization-bindings."java.lang.String" = slow
                        """);

    private final String persistenceId = freshId();

    private TestEntity start(String journal) {
        return TestEntity.start(
                JOURNAL.system(), TestEntity.Options.of(persistenceId).withJournal(journal));
    }

    private StoredItem item(long number) {
        return TestJournal.item(JOURNAL.table(), "journal", persistenceId, number);
    }

    @Test
    void eventAdapter_wrapsStoresItsManifestAndUnwrapsToNoneOneOrMany() {
        TestEntity entity = start("adapted-journal");
        entity.recovered();
        assertThat(entity.persistAll(List.of("one", "gone", "twice")).expectStored(3))
                .extracting(Stored::event)
                .containsExactly("one", "gone", "twice");
        entity.stop();
        assertThat(item(1).event()).isEqualTo("<one>");
        assertThat(item(1).text("manifest")).isEqualTo("version 1");
        assertThat(start("adapted-journal").recovered())
                .isEqualTo(new TestEntity.Recovered(
                        List.of("one of version 1", "twice of version 1", "twice of version 1"), 3));
    }

    @Test
    void tagged_isStoredAsASetBesideTheBareEvent() {
        TestEntity entity = start("adapted-journal");
        entity.recovered();
        entity.persist("a#green", "b").expectStored(2);
        entity.stop();
        assertThat(item(1).tags()).containsExactlyInAnyOrder("green", "all");
        assertThat(item(1).event()).isEqualTo("<a#green>");
        assertThat(item(1).number("ev_ser_id")).isEqualTo("424242");
        assertThat(item(1).text("ev_ser_manifest")).isEqualTo("text");
        assertThat(item(2).has("tags")).isFalse();
        assertThat(start("adapted-journal").recovered().events())
                .containsExactly("a#green of version 1", "b of version 1");
    }

    @Test
    void asyncSerializer_whoseResultsFailForSome_keepsTheOrderOfResults() {
        TestEntity entity = start("dynamodb-journal");
        entity.recovered();
        entity.persistAsync(List.of("a1", "bad2", "a3", "bad4", "bad5", "a6"));
        assertThat(entity.expect(Stored.class)).isEqualTo(new Stored("a1", 1));
        assertThat(entity.expect(Rejected.class)).satisfies(r -> {
            assertThat(r.sequenceNumber()).isEqualTo(2);
            assertThat(r.event()).isEqualTo("bad2");
            assertThat(r.reason()).isInstanceOf(IllegalArgumentException.class).hasMessage("bad2 refused");
        });
        assertThat(entity.expect(Stored.class).event()).isEqualTo("a3");
        assertThat(entity.expect(Rejected.class).event()).isEqualTo("bad4");
        assertThat(entity.expect(Rejected.class).event()).isEqualTo("bad5");
        assertThat(entity.expect(Stored.class).event()).isEqualTo("a6");
        entity.stop();
        assertThat(start("dynamodb-journal").recovered())
                .isEqualTo(new TestEntity.Recovered(List.of("a1", "a3", "a6"), 6));
    }

    @Test
    void asyncSerializer_whoseResultFailsInsideAnAtomicWrite_rejectsTheWhole() {
        TestEntity entity = start("dynamodb-journal");
        entity.recovered();
        entity.persistAll(List.of("a1", "bad2", "a3"));
        assertThat(entity.expect(Rejected.class).event()).isEqualTo("a1");
        assertThat(entity.expect(Rejected.class).event()).isEqualTo("bad2");
        assertThat(entity.expect(Rejected.class).event()).isEqualTo("a3");
        assertThat(entity.persist("a4").expect(Stored.class)).isEqualTo(new Stored("a4", 4));
        entity.stop();
        assertThat(start("dynamodb-journal").recovered()).isEqualTo(new TestEntity.Recovered(List.of("a4"), 4));
    }
}
