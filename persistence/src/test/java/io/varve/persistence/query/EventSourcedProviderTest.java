package io.varve.persistence.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.persistence.journal.JournalSystem;
import io.varve.persistence.journal.TestEntity;
import io.varve.persistence.query.javadsl.DynamoDBReadJournal;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.japi.Pair;
import org.apache.pekko.persistence.journal.Tagged;
import org.apache.pekko.persistence.query.NoOffset;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.TimestampOffset;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.persistence.query.typed.javadsl.EventTimestampQuery;
import org.apache.pekko.persistence.query.typed.javadsl.LoadEventQuery;
import org.apache.pekko.projection.BySlicesSourceProvider;
import org.apache.pekko.projection.eventsourced.javadsl.EventSourcedProvider;
import org.apache.pekko.projection.javadsl.SourceProvider;
import org.apache.pekko.stream.javadsl.Source;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Pekko's own source of projections on top of the read journal. */
class EventSourcedProviderTest {
    @RegisterExtension
    static final JournalSystem JOURNAL = JournalSystem.of("provider", """
                        dynamodb-journal.slice-index.shards = 4
                        dynamodb-read-journal.refresh-interval = 50 ms
                        """);

    private static org.apache.pekko.actor.typed.ActorSystem<Void> typed;

    private final String type = "t" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        typed = Adapter.toTyped(JOURNAL.system());
    }

    private SourceProvider<Offset, EventEnvelope<String>> provider(int min, int max) {
        return EventSourcedProvider.eventsBySlices(typed, DynamoDBReadJournal.Identifier(), type, min, max);
    }

    private static <E> Source<E, NotUsed> source(SourceProvider<Offset, E> provider, Optional<Offset> from) {
        return RunningQuery.result(provider.source(() -> CompletableFuture.completedFuture(from)));
    }

    private TestEntity started(String id) {
        TestEntity entity = TestEntity.start(JOURNAL.system(), type + "|" + id);
        entity.recovered();
        return entity;
    }

    @Test
    void eventsBySlices_runsFromTheBeginning_andFromTheOffsetsThatItExtracts() {
        SourceProvider<Offset, EventEnvelope<String>> provider = provider(0, 1023);
        TestEntity entity = started("1");
        entity.persist("e1", "e2").expectStored(2);
        Offset last;
        SliceOffsets slices;
        try (RunningQuery<EventEnvelope<String>> live =
                RunningQuery.of(source(provider, Optional.empty()), JOURNAL.system())) {
            EventEnvelope<String> first = live.next();
            EventEnvelope<String> second = live.next();
            assertThat(List.of(first.getEvent(), second.getEvent())).containsExactly("e1", "e2");
            assertThat(provider.extractCreationTime(second)).isEqualTo(second.timestamp());
            last = provider.extractOffset(second);
            assertThat(last).isInstanceOf(TimestampOffset.class);
            slices = SliceOffsets.EMPTY.plus(first).plus(second);
        }
        entity.persist("e3").expectStored(1);
        for (Offset offset : List.of(last, slices)) {
            try (RunningQuery<EventEnvelope<String>> live =
                    RunningQuery.of(source(provider, Optional.of(offset)), JOURNAL.system())) {
                assertThat(live.next().getEvent()).isEqualTo("e3");
            }
        }
    }

    @Test
    void timestampOfAndLoadEnvelope_goThroughTheProvider() {
        started("1").persist("e1", "e2").expectStored(2);
        SourceProvider<Offset, EventEnvelope<String>> provider = provider(0, 1023);
        try (RunningQuery<EventEnvelope<String>> live =
                RunningQuery.of(source(provider, Optional.empty()), JOURNAL.system())) {
            TimestampOffset second = (TimestampOffset) live.next(2).get(1).offset();
            assertThat(RunningQuery.result(((EventTimestampQuery) provider).timestampOf(type + "|1", 2)))
                    .contains(second.timestamp());
        }
        assertThat(RunningQuery.result(((LoadEventQuery) provider).<String>loadEnvelope(type + "|1", 2))
                        .getEvent())
                .isEqualTo("e2");
        assertThat(RunningQuery.failure(((LoadEventQuery) provider).loadEnvelope(type + "|1", 3)))
                .isInstanceOf(NoSuchElementException.class);
    }

    @Test
    void sliceRanges_giveEachInstanceItsShare() {
        int count = 10;
        IntStream.range(0, count)
                .forEach(i -> started(Integer.toString(i)).persist("e" + i).expectStored(1));
        List<RunningQuery<EventEnvelope<String>>> instances = new ArrayList<>();
        List<EventEnvelope<String>> found = new ArrayList<>();
        for (Pair<Integer, Integer> range :
                EventSourcedProvider.sliceRanges(typed, DynamoDBReadJournal.Identifier(), 4)) {
            SourceProvider<Offset, EventEnvelope<String>> provider = provider(range.first(), range.second());
            assertThat(((BySlicesSourceProvider) provider).minSlice()).isEqualTo(range.first());
            long share = IntStream.range(0, count)
                    .map(i -> EventSourcedProvider.sliceForPersistenceId(
                            typed, DynamoDBReadJournal.Identifier(), type + "|" + i))
                    .filter(slice -> slice >= range.first() && slice <= range.second())
                    .count();
            RunningQuery<EventEnvelope<String>> instance =
                    RunningQuery.of(source(provider, Optional.empty()), JOURNAL.system());
            instances.add(instance);
            found.addAll(instance.next((int) share));
        }
        instances.forEach(RunningQuery::close);
        assertThat(found).hasSize(count).extracting(EventEnvelope::getEvent).doesNotHaveDuplicates();
    }

    @Test
    void eventsByTag_runsFromTheBeginning_andFromTheOffsetThatItExtracts() {
        TestEntity entity = started("1");
        entity.persist(new Tagged("e1", Set.of(type)), "untagged").expectStored(2);
        SourceProvider<Offset, org.apache.pekko.projection.eventsourced.EventEnvelope<String>> provider =
                EventSourcedProvider.eventsByTag(typed, DynamoDBReadJournal.Identifier(), type);
        Offset offset = NoOffset.getInstance();
        for (String text : List.of("e1", "e2")) {
            try (RunningQuery<org.apache.pekko.projection.eventsourced.EventEnvelope<String>> live =
                    RunningQuery.of(source(provider, Optional.of(offset)), JOURNAL.system())) {
                var next = live.next();
                assertThat(next.event()).isEqualTo(text);
                offset = provider.extractOffset(next);
            }
            entity.persist(new Tagged("e2", Set.of(type))).expectStored(1);
        }
    }
}
