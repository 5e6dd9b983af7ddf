package io.varve.persistence.journal;

import static io.varve.persistence.journal.TestEntity.events;
import static io.varve.persistence.journal.TestEntity.freshId;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.persistence.journal.TestEntity.Recovered;
import io.varve.persistence.journal.TestEntity.Rejected;
import io.varve.persistence.journal.TestEntity.Report;
import io.varve.persistence.journal.TestEntity.Stored;
import io.varve.testkit.Fault;
import io.varve.testkit.RequestMatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Thousands of {@code persistAsync} in one command, which Pekko hands over in one message. */
class PersistAsyncBurstTest {
    private static final int EVENTS = 2_200;

    @RegisterExtension
    static final JournalSystem JOURNAL = JournalSystem.behindProxy("burst", """
                dynamodb-journal.slice-index.enabled = off
                # A busy machine has time enough; one event after another would take 40 s.
                dynamodb-journal.circuit-breaker.call-timeout = 30 s
                pekko.persistence.dynamodb.client.operation-timeout = 20 s
                """);

    private static List<String> writesOf(String persistenceId) {
        return JOURNAL.proxy()
                .requests()
                .where(request -> request.partitionKeys().stream().anyMatch(key -> key.contains(persistenceId))
                        && (request.operation().equals("PutItem")
                                || request.operation().equals("TransactWriteItems")))
                .operations();
    }

    @Test
    void threeActorsAtOnce_getThrough_inTransactionsOfAHundred() {
        JOURNAL.proxy().on(RequestMatch.operation("PutItem", "TransactWriteItems"), Fault.delay(Duration.ofMillis(18)));
        List<String> ids = List.of(freshId(), freshId(), freshId());
        List<TestEntity> entities =
                ids.stream().map(id -> TestEntity.start(JOURNAL.system(), id)).toList();
        entities.forEach(TestEntity::recovered);
        JOURNAL.proxy().requests().clear();
        entities.forEach(entity -> entity.persistAsync(events(1, EVENTS)));
        entities.forEach(entity -> assertThat(entity.expectStored(EVENTS))
                .extracting(Stored::sequenceNumber)
                .isSorted()
                .hasSize(EVENTS));
        // The first events may go alone, before the others have come; after them nothing does.
        ids.forEach(id -> assertThat(writesOf(id)).hasSizeBetween(EVENTS / 100, EVENTS / 100 + 10));
        entities.forEach(TestEntity::stop);
        JOURNAL.proxy().clear();
        ids.forEach(id -> assertThat(TestEntity.start(JOURNAL.system(), id).recovered())
                .isEqualTo(new Recovered(events(1, EVENTS), EVENTS)));
    }

    @Test
    void rejections_areTheirOwn_andTheOthersAreAcknowledgedInOrder() {
        String id = freshId();
        TestEntity entity = TestEntity.start(JOURNAL.system(), id);
        entity.recovered();
        List<Object> events = IntStream.rangeClosed(1, 150)
                .mapToObj(i -> i % 10 == 0 ? new Object() : i % 33 == 0 ? "x".repeat(401 * 1024) : "e" + i)
                .toList();
        entity.persistAsync(events);
        List<Object> stored = new ArrayList<>();
        for (int i = 1; i <= events.size(); i++) {
            Report report = entity.expect(Report.class);
            boolean bad = i % 10 == 0 || i % 33 == 0;
            assertThat(report).isInstanceOf(bad ? Rejected.class : Stored.class);
            if (!bad) {
                assertThat(report).isEqualTo(new Stored("e" + i, i));
                stored.add("e" + i);
            }
        }
        entity.stop();
        assertThat(TestEntity.start(JOURNAL.system(), id).recovered()).isEqualTo(new Recovered(stored, 149));
    }
}
