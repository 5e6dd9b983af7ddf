package io.varve.store.internal.journal;

import static io.varve.store.internal.journal.StoredItems.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.internal.append.AppendResult;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Atomic writes that begin several groups at once: their high marks can have one key. */
@ExtendWith(JournalFixture.Extension.class)
class GroupBordersTest {
    private static final String ID = "cart|1";

    private final JournalFixture journal;
    private final FaultProxy proxy;

    GroupBordersTest(JournalFixture journal) {
        this.journal = journal;
        this.proxy = journal.proxy();
    }

    private TestStore node(int shards) {
        return journal.directNode().shards(OptionalInt.of(shards)).build();
    }

    private static TestStore marked(TestStore.Builder node, int shards) {
        return node.shards(OptionalInt.of(shards)).marked().build();
    }

    @ParameterizedTest
    @CsvSource({"1, 250", "1, 1150", "10, 1150", "10, 2205"})
    void markedWriteOverManyGroupBorders_isStored(int shards, int events) {
        TestStore store = marked(journal.directNode(), shards);
        assertThat(store.append(ID, 1, 50)).isInstanceOf(AppendResult.Stored.class);
        assertThat(store.append(ID, 51, events)).isInstanceOf(AppendResult.Stored.class);
        TestStore next = node(shards);
        assertThat(next.recoveredNumbers(ID)).isEqualTo(numbers(1, events));
        assertThat(next.append(ID, events + 1, events + 1)).isInstanceOf(AppendResult.Stored.class);
    }

    @ParameterizedTest
    @CsvSource({"1, 151, 200", "1, 151, 420", "10, 1151, 1420"})
    void transactionsAfterManyRejectedNumbers_areStored(int shards, int first, int last) {
        TestStore store = node(shards);
        store.append(ID, 1, 50);
        assertThat(store.append(ID, first, last)).isInstanceOf(AppendResult.Stored.class);
        assertThat(node(shards).recoveredNumbers(ID))
                .startsWith(1L)
                .endsWith((long) last)
                .hasSize(50 + last - first + 1);
    }

    @Test
    void markedWriteOfADeadNodeThatArrivesLate_doesNotBringTheHighMarkDown() {
        TestStore slow = marked(journal.node(), 1);
        slow.append(ID, 1, 99);
        var gate = proxy.hold(RequestMatch.any().keyPrefix("journal-SH-").times(1));
        CompletableFuture<?> late =
                slow.appendAsync(ID, slow.write(ID, 100, 102)).toCompletableFuture();
        gate.awaitArrival();
        TestStore next = marked(journal.directNode(), 1);
        assertThat(next.highest(ID)).isEqualTo(99);
        next.append(ID, 100, 310);
        gate.releaseAll();
        late.join();
        assertThat(journal.item(TestStore.KEYS.highKey(ID, 0))).containsEntry("seq", AttributeValue.fromN("300"));
    }
}
