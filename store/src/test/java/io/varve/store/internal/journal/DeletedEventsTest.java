package io.varve.store.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.internal.append.AppendResult;
import java.util.Map;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** What is gone after a delete, and stays gone. */
@ExtendWith(JournalFixture.Extension.class)
class DeletedEventsTest {
    private static final String ID = "cart|1";

    private final JournalFixture journal;

    DeletedEventsTest(JournalFixture journal) {
        this.journal = journal;
    }

    private TestStore survivor() {
        return journal.directNode().build();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void deleteOfEverything_keepsTheHighestNumber(boolean restart) {
        TestStore store = survivor();
        store.append(ID, 1, 50);
        store.append(ID, 51, 120);
        store.delete(ID, Long.MAX_VALUE);
        TestStore next = restart ? survivor() : store;
        assertThat(next.highest(ID)).isEqualTo(120);
        assertThat(next.recover(ID)).isEmpty();
        assertThat(next.append(ID, 121, 121)).isInstanceOf(AppendResult.Stored.class);
        assertThat(survivor().recoveredNumbers(ID)).containsExactly(121L);
    }

    /** A node died while it stored 11 to 60 in batches, the first of which is missing. */
    @ParameterizedTest
    @ValueSource(longs = {15, 35, 40, 59})
    void deleteThatWouldEndInsideAnIncompleteWrite_doesNotBringItBack(long to) {
        TestStore store = journal.directNode().marked().build();
        store.append(ID, 1, 10);
        store.append(ID, 11, 60);
        journal.items(ID).take(11, 35);
        TestStore next = survivor();
        assertThat(next.highest(ID)).isEqualTo(60);
        next.append(ID, 61, 61);
        next.delete(ID, to);
        assertThat(survivor().recoveredNumbers(ID)).containsExactly(61L);
        next.delete(ID, 60);
        assertThat(survivor().recoveredNumbers(ID)).containsExactly(61L);
        assertThat(storedEvents()).isEqualTo(1);
    }

    private long storedEvents() {
        long count = 0;
        Map<String, AttributeValue> start = Map.of();
        do {
            Map<String, AttributeValue> from = start;
            var page = journal.direct()
                    .scan(r -> r.tableName(journal.table())
                            .consistentRead(true)
                            .exclusiveStartKey(from.isEmpty() ? null : from))
                    .join();
            count += page.items().stream()
                    .filter(item -> item.containsKey("event"))
                    .count();
            start = page.lastEvaluatedKey();
        } while (!start.isEmpty());
        return count;
    }
}
