package io.varve.store.internal.slice;

import static io.varve.store.internal.slice.TestJournal.batch;
import static io.varve.store.internal.slice.TestJournal.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.VarveException;
import io.varve.store.internal.journal.TestStore;
import io.varve.store.internal.layout.Event;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.FaultRule;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.TableNames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** An atomic write comes whole and in order, or not at all. */
@DynamoDBTest
class SliceBatchTest {
    private static final String ID = "cart|1";
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Optional<String> CHAIN = Optional.of("chain");

    private final FaultProxy proxy;
    private final TestJournal journal;

    SliceBatchTest(DynamoDbAsyncClient direct, FaultProxy proxy, TableNames names) {
        this.proxy = proxy;
        this.journal = new TestJournal(direct, proxy, names.journal(), 1);
    }

    @AfterEach
    void close() {
        journal.close();
    }

    private static List<Long> numbers(List<Event> events) {
        return events.stream().map(Event::sequenceNumber).toList();
    }

    private static List<Long> fromTo(long first, long last) {
        return LongStream.rangeClosed(first, last).boxed().toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 100})
    void chainWhoseWriterDied_isNeverSeen(int page) {
        TestStore before = journal.writer(Duration.ZERO);
        before.append(ID, 1, 1);
        TestStore dying = journal.proxiedWriter();
        dying.highest(ID);
        FaultRule death = proxy.on(RequestMatch.operation("TransactWriteItems").skip(1), Fault.internalServerError());
        assertThatThrownBy(() -> dying.append(ID, 2, 250)).isInstanceOf(VarveException.class);
        death.remove();
        before.append("cart|2", 1, 1);
        journal.clock().advance(SECOND);
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.pages(page))) {
            assertThat(numbers(query.takeDuring(Duration.ofMinutes(1), SECOND))).containsExactly(1L, 1L);
            // The next incarnation of the entity removes it, and uses the numbers again.
            TestStore next = journal.writer(Duration.ZERO);
            assertThat(next.highest(ID)).isEqualTo(1);
            next.append(ID, 2, 3);
            assertThat(numbers(query.takeDuring(Duration.ofMinutes(12), Duration.ofSeconds(20))))
                    .containsExactly(2L, 3L);
        }
    }

    /** Found by the simulation: the event that was delivered under a number of the chain is another writer's. */
    @Test
    void restOfAChainThatWasGivenUp_isNotTakenForThatOfAnotherWrite() {
        Event first = event(ID, 1, journal.at(Duration.ZERO));
        List<Event> chain = batch(ID, 2, 6, journal.at(SECOND), CHAIN);
        Event next = event(ID, 2, journal.at(SECOND.multipliedBy(4)));
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.pages(100))) {
            journal.put(first);
            journal.put(chain.subList(2, 4)); // the index still shows them
            assertThat(query.takeDuring(Duration.ofSeconds(3), SECOND)).containsExactly(first);
            journal.put(next);
            assertThat(query.takeDuring(Duration.ofMinutes(1), SECOND)).containsExactly(next);
        }
    }

    @ParameterizedTest
    @CsvSource({"1,true", "1,false", "3,true", "3,false", "100,true", "100,false"})
    void chainThatIsSlow_comesWholeWhenItIsComplete(int page, boolean laterOneWasRead) {
        List<Event> chain = batch(ID, 2, 6, journal.at(SECOND), CHAIN);
        Event first = event(ID, 1, journal.at(Duration.ZERO));
        Event other = event("cart|2", 1, journal.at(SECOND.multipliedBy(2)));
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.pages(page))) {
            journal.put(first);
            journal.put(chain.subList(0, 4));
            if (laterOneWasRead) {
                journal.put(other);
            }
            List<Event> taken = query.takeDuring(Duration.ofSeconds(6), SECOND);
            assertThat(taken).containsExactlyElementsOf(laterOneWasRead ? List.of(first, other) : List.of(first));
            journal.put(chain.subList(4, 6));
            assertThat(query.takeDuring(Duration.ofSeconds(20), SECOND)).isEqualTo(chain);
            assertThat(query.takeDuring(Duration.ofMinutes(12), Duration.ofSeconds(20)))
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 100})
    void markedWriteOfWhichAPartIsMissing_isNotSeen_untilItIsThere(int page) {
        List<Event> write = batch(ID, 1, 5, journal.at(SECOND), Optional.empty());
        Event missing = write.get(3);
        journal.put(write);
        journal.remove(missing);
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.pages(page))) {
            assertThat(query.takeDuring(Duration.ofSeconds(8), SECOND)).isEmpty();
            journal.put(missing);
            assertThat(query.takeDuring(Duration.ofSeconds(20), SECOND)).isEqualTo(write);
            assertThat(query.takeDuring(Duration.ofMinutes(12), Duration.ofSeconds(20)))
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 100})
    void partOfAnOldIncompleteWrite_isPassedOver_andWhatFollowsComes(int page) {
        List<Event> write = batch(ID, 2, 5, journal.at(Duration.ofDays(-1)), Optional.empty());
        Event before = event(ID, 1, journal.at(Duration.ofDays(-2)));
        Event after = event(ID, 7, journal.at(Duration.ofHours(-1)));
        Event fresh = event(ID, 8, journal.at(SECOND));
        journal.put(write);
        journal.remove(write.get(0));
        journal.put(before, after, fresh);
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.pages(page))) {
            assertThat(query.takeDuring(Duration.ofSeconds(8), SECOND)).containsExactly(before, after, fresh);
        }
    }

    /** Found by the simulation: the number of the chain's first event is another write's now, and that was delivered. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 100})
    void restOfAChainThatWasGivenUp_whoseNumbersAreUsedAgain_isNotSeen(int page) {
        List<Event> chain = batch(ID, 2, 250, journal.at(SECOND), CHAIN);
        List<Event> rest = chain.subList(100, 110);
        Event before = event(ID, 1, journal.at(Duration.ZERO));
        Event again = event(ID, 2, journal.at(SECOND.multipliedBy(2)));
        journal.put(before, again);
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.pages(page))) {
            assertThat(query.takeDuring(Duration.ofSeconds(4), SECOND)).containsExactly(before, again);
            journal.put(rest);
            assertThat(query.takeDuring(Duration.ofMinutes(12), Duration.ofSeconds(5)))
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 100})
    void writeWhoseBeginningWasDeleted_comesFromThereOn(int page) {
        TestStore writer = journal.writer(Duration.ZERO);
        writer.append(ID, 1, 8);
        writer.delete(ID, 5);
        journal.clock().advance(SECOND);
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.pages(page))) {
            assertThat(numbers(query.takeDuring(Duration.ofSeconds(8), SECOND))).isEqualTo(fromTo(6, 8));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 100})
    void eventsOfAWriteThatAreLateInTheIndex_comeFromTheTable(int page) {
        List<Event> write = batch(ID, 1, 4, journal.at(SECOND), Optional.empty());
        journal.put(write);
        journal.hide(write.get(0), write.get(2));
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.pages(page))) {
            assertThat(query.takeDuring(Duration.ofSeconds(8), SECOND)).isEqualTo(write);
            journal.show(write.get(0), write.get(2));
            assertThat(query.takeDuring(Duration.ofMinutes(12), Duration.ofSeconds(20)))
                    .isEmpty();
        }
    }

    @Test
    void manyWritesAcrossPages_comeInOrder() {
        List<Event> stored = new ArrayList<>();
        for (int write = 0; write < 12; write++) {
            long time = journal.at(Duration.ofHours(write < 6 ? -1 : 0)) + write * 1_000L;
            stored.addAll(batch(ID, 1 + write * 5L, 5, time, write % 2 == 0 ? Optional.empty() : CHAIN));
        }
        journal.put(stored);
        for (int page = 1; page < 8; page++) {
            try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.pages(page))) {
                assertThat(query.takeDuring(Duration.ofSeconds(6), SECOND)).isEqualTo(stored);
            }
        }
    }
}
