package io.varve.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.interop.peer.JournalDriver;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.DynamoDBTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** The placeholders that Varve puts under the numbers of rejected events: the predecessor replays past them. */
@DynamoDBTest
final class PlaceholdersTest {

    private final JournalTable table;

    PlaceholdersTest(DynamoDBLocal local, DynamoDbAsyncClient client) {
        this.table = JournalTable.ofPredecessor(local, client);
    }

    private long placeholders() {
        return table.items().values().stream()
                .filter(item -> item.containsKey("placeholder"))
                .count();
    }

    @Test
    void predecessor_replaysPastThem_betweenSingleEventsAndBatches() {
        try (JournalDriver varve = Side.VARVE.open(table);
                JournalDriver predecessor = Side.PREDECESSOR.open(table)) {
            CheckedEntity entity = CheckedEntity.on(varve, "rejected")
                    .rejectNext()
                    .persistTo(3)
                    .rejectNext()
                    .rejectNext()
                    .persistBatchTo(8)
                    .rejectBatchTo(12)
                    .persistBatchTo(15)
                    .rejectNext()
                    .persistTo(20);
            assertThat(placeholders()).isEqualTo(1 + 2 + 4 + 1);
            entity.moveTo(predecessor)
                    .persistBatchTo(25)
                    .moveTo(varve)
                    .persistTo(26)
                    .moveTo(predecessor);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {95, 99, 100, 199, 200, 214, 405})
    void predecessor_findsTheHighestNumber_whereverTheyEnd(long rejectedTo) {
        try (JournalDriver varve = Side.VARVE.open(table);
                JournalDriver predecessor = Side.PREDECESSOR.open(table)) {
            CheckedEntity.on(varve, "rejected")
                    .persistTo(90)
                    .rejectBatchTo(rejectedTo)
                    .persistTo(rejectedTo + 1)
                    .moveTo(predecessor)
                    .persistTo(rejectedTo + 3)
                    .moveTo(varve)
                    .persistTo(rejectedTo + 4)
                    .moveTo(predecessor);
            assertThat(placeholders()).isEqualTo(rejectedTo - 90);
        }
    }

    /** The node died after the placeholders and before the event. */
    @Test
    void predecessor_countsThemAsTaken_whenTheyAreTheLast() {
        try (JournalDriver varve = Side.VARVE.open(table);
                JournalDriver predecessor = Side.PREDECESSOR.open(table)) {
            CheckedEntity entity = CheckedEntity.on(varve, "rejected")
                    .persistTo(90)
                    .rejectBatchTo(103)
                    .persistTo(104);
            varve.stop("rejected");
            table.deleteEvents("rejected", 104, 104);
            entity.forgetFrom(104).startAfterUnfinishedBatchOn(predecessor);
            assertThat(entity.last()).isEqualTo(103);
            entity.persistTo(106).startAfterUnfinishedBatchOn(varve);
            entity.persistTo(108).moveTo(predecessor);
        }
    }

    /** A batch of the predecessor's whose end is missing, and placeholders behind it: neither is replayed. */
    @Test
    void predecessor_dropsAnIncompleteBatchBeforeThem() {
        try (JournalDriver varve = Side.VARVE.open(table);
                JournalDriver predecessor = Side.PREDECESSOR.open(table)) {
            CheckedEntity entity =
                    CheckedEntity.on(predecessor, "rejected").persistTo(10).persistBatchTo(20);
            predecessor.stop("rejected");
            table.deleteEvents("rejected", 18, 20);
            entity.forgetFrom(11).startAfterUnfinishedBatchOn(varve);
            entity.rejectNext().persistTo(entity.last() + 2).startAfterUnfinishedBatchOn(predecessor);
            assertThat(placeholders()).isEqualTo(1);
        }
    }
}
