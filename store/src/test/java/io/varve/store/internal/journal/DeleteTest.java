package io.varve.store.internal.journal;

import static io.varve.store.internal.journal.StoredItems.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.StoreException;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** In which order a delete takes events away, and how long it may take. */
@ExtendWith(JournalFixture.Extension.class)
class DeleteTest {
    private static final String ID = "cart|1";

    private final JournalFixture journal;
    private final FaultProxy proxy;

    DeleteTest(JournalFixture journal) {
        this.journal = journal;
        this.proxy = journal.proxy();
    }

    @BeforeEach
    void create() {
        TestStore store = journal.directNode().build();
        for (long first = 1; first <= 450; first += 90) {
            store.append(ID, first, first + 89);
        }
    }

    private TestStore node() {
        return journal.node().build();
    }

    private List<String> writes() {
        return proxy.requests().operations().stream()
                .filter(operation -> operation.startsWith("BatchWriteItem"))
                .toList();
    }

    @Test
    void leftoversOfADeleteThatStoppedHalfWay_goWithTheLastEventLast() {
        proxy.on(
                RequestMatch.operation("BatchWriteItem").key(TestStore.KEYS.eventPartition(ID, 4)),
                Fault.error(400, "AccessDeniedException", "refused by the test"));
        assertThatThrownBy(() -> node().delete(ID, 450)).isInstanceOf(StoreException.class);
        proxy.clear();
        TestStore next = node();
        next.highest(ID);
        proxy.requests().clear();
        next.delete(ID, 450);
        assertThat(writes()).isNotEmpty().endsWith("BatchWriteItem(1)");
        assertThat(journal.direct()
                        .query(r -> r.tableName(journal.table())
                                .keyConditionExpression("par = :par")
                                .expressionAttributeValues(
                                        Map.of(":par", AttributeValue.fromS(TestStore.KEYS.eventPartition(ID, 4)))))
                        .join()
                        .items())
                .isEmpty();
        assertThat(journal.directNode().build().highest(ID)).isEqualTo(450);
    }

    @Test
    void twoDeletesThatStoppedHalfWay_areBothFinishedByTheThird() {
        StoredItems items = journal.items(ID);
        var first = items.take(1, 20);
        items.put(first);
        journal.directNode().build().delete(ID, 100);
        items.put(first); // as if it had stopped before these
        proxy.on(
                RequestMatch.operation("BatchWriteItem", "Query"),
                Fault.error(400, "AccessDeniedException", "refused by the test"));
        TestStore second = node();
        assertThatThrownBy(() -> second.delete(ID, 300)).isInstanceOf(StoreException.class);
        proxy.clear();
        assertThat(journal.directNode().build().recoveredNumbers(ID)).isIn(numbers(101, 450), numbers(301, 450));
        journal.directNode().build().delete(ID, 310);
        assertThat(journal.directNode().build().recoveredNumbers(ID)).isEqualTo(numbers(311, 450));
        assertThat(items.take(1, 310)).as("nothing is left").isEmpty();
    }

    @Test
    void longDelete_hasTheTimeOfAnOperationForEachRequest() {
        TestStore store =
                journal.node().operationTimeout(Duration.ofMillis(1500)).build();
        store.highest(ID);
        proxy.on(RequestMatch.operation("BatchWriteItem"), Fault.delay(Duration.ofMillis(350)));
        store.delete(ID, 450); // 18 batches, four at once
        assertThat(journal.directNode().build().recover(ID)).isEmpty();
        assertThat(journal.items(ID).take(1, 450)).isEmpty();
    }
}
