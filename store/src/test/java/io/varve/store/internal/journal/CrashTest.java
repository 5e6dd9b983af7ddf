package io.varve.store.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.VarveException;
import io.varve.store.internal.append.AppendResult;
import io.varve.store.internal.layout.Event;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** A node that dies between any two of its requests: of a large atomic write, of a delete, of a clean-up after such a death. */
@ExtendWith(JournalFixture.Extension.class)
class CrashTest {
    private static final String ID = "cart|1";

    private final JournalFixture journal;
    private final FaultProxy proxy;

    CrashTest(JournalFixture journal) {
        this.journal = journal;
        this.proxy = journal.proxy();
    }

    /** A node whose write requests get through {@code survive} times; then it is dead. If {@code late}, the last one took effect. */
    private TestStore dyingNode(DynamoDbAsyncClient client, int survive, boolean late) {
        RequestMatch writes =
                RequestMatch.operation("PutItem", "TransactWriteItems", "BatchWriteItem", "DeleteItem", "UpdateItem");
        proxy.on(writes.skip(survive).times(1), late ? Fault.resetAfter() : Fault.resetBefore());
        proxy.on(writes.skip(survive), Fault.resetBefore());
        return TestStore.on(client, journal.table())
                .operationTimeout(Duration.ofMillis(150))
                .build();
    }

    private TestStore survivor() {
        return journal.directNode().build();
    }

    @ParameterizedTest
    @CsvSource({"0,false", "0,true", "1,false", "1,true", "2,false", "2,true", "3,false", "3,true", "4,false"})
    void largeAtomicWrite_isSeenWholeOrNotAtAllAndItsNumbersCanBeUsedAgain(int survive, boolean late) {
        History history = new History(ID);
        TestStore before = survivor();
        history.append(before, 1, 30);
        try (DynamoDbAsyncClient client = proxy.client()) {
            history.append(dyingNode(client, survive, late), 31, 400);
        }
        proxy.clear();
        TestStore next = survivor();
        List<Event> recovered = history.check(next);
        long head = next.highest(ID);
        assertThat(recovered).as("no hole").hasSize((int) head);
        assertThat(head).isIn(30L, 400L);
        assertThat(history.append(next, head + 1, head + 120)).isTrue();
        assertThat(history.append(next, head + 121, head + 121)).isTrue();
        assertThat(history.check(survivor())).hasSize((int) head + 121);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 5, 40, 98})
    void cleanUpAfterADeath_mayDieItself(int survive) {
        History history = new History(ID);
        history.append(survivor(), 1, 5);
        try (DynamoDbAsyncClient client = proxy.client()) {
            history.append(dyingNode(client, 1, false), 6, 260);
            proxy.clear();
            TestStore cleaner = dyingNode(client, survive, true);
            try {
                cleaner.highest(ID);
            } catch (VarveException expected) {
                assertThat(expected).hasMessageContaining(journal.table());
            }
        }
        proxy.clear();
        assertThat(history.check(survivor())).hasSize(5);
        TestStore next = survivor();
        assertThat(next.highest(ID)).isEqualTo(5);
        assertThat(history.append(next, 6, 6)).isTrue();
        assertThat(history.check(survivor())).hasSize(6);
        assertThat(journal.direct().scan(r -> r.tableName(journal.table())).join().items().stream()
                        .filter(item -> item.containsKey("batch_id")))
                .as("nothing of it is left")
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"0,false", "1,false", "1,true", "2,false", "2,true", "3,true", "5,false", "8,true", "12,false"})
    void delete_neverBringsTheHighestDownAndIsFinishedByTheNext(int survive, boolean late) {
        History history = new History(ID);
        TestStore before = survivor();
        history.append(before, 1, 90);
        history.append(before, 91, 180);
        history.append(before, 181, 250);
        history.deleting(230);
        try (DynamoDbAsyncClient client = proxy.client()) {
            TestStore dying = dyingNode(client, survive, late);
            try {
                dying.delete(ID, 230);
            } catch (VarveException expected) {
                assertThat(expected.getMessage()).contains(journal.table());
            }
        }
        proxy.clear();
        TestStore next = survivor();
        List<Event> recovered = history.check(next);
        assertThat(next.highest(ID)).isEqualTo(250);
        assertThat(recovered.size())
                .as("either not deleted at all or hidden at once")
                .isIn(250, 20);
        history.append(next, 251, 251);
        next.delete(ID, 230);
        assertThat(survivor().recoveredNumbers(ID))
                .isEqualTo(LongStream.rangeClosed(231, 251).boxed().toList());
        assertThat(storedEvents()).as("nothing is left below the mark").isEqualTo(21);
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
