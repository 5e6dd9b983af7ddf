package io.varve.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.interop.peer.JournalDriver;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.DynamoDBTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** An entity moves from the predecessor to Varve, back, and to and fro: a rolling upgrade and a roll-back. */
@DynamoDBTest
final class HandOverTest {

    private static final int TURNS = 10;

    private final DynamoDBLocal local;
    private final DynamoDbAsyncClient client;

    HandOverTest(DynamoDBLocal local, DynamoDbAsyncClient client) {
        this.local = local;
        this.client = client;
    }

    @Test
    void varveRecovers_whatPredecessorWroteAcrossGroupBorders() {
        goesOn(Side.PREDECESSOR, Side.VARVE, JournalTable.ofPredecessor(local, client));
    }

    @Test
    void predecessorRecovers_whatVarveWroteAcrossGroupBorders() {
        goesOn(Side.VARVE, Side.PREDECESSOR, JournalTable.ofVarve(local, client));
    }

    private static void goesOn(Side first, Side second, JournalTable table) {
        try (JournalDriver writer = first.open(table);
                JournalDriver successor = second.open(table)) {
            CheckedEntity.on(writer, "order-1")
                    .persistTo(95)
                    .persistBatchTo(99) // ends with a group
                    .persistBatchTo(104) // starts with one
                    .persistTo(198)
                    .persistBatchTo(200)
                    .persistTo(249)
                    .persistBatchTo(330) // lies across a border
                    .persistTo(350)
                    // A prefix that ends with a batch: of a batch cut by a delete the predecessor replays nothing (B2).
                    .deleteTo(104)
                    .moveTo(successor)
                    .persistTo(397)
                    .persistBatchTo(402)
                    .persistTo(420)
                    .deleteTo(249)
                    .moveTo(writer)
                    .persistTo(421);
        }
    }

    @ParameterizedTest
    @EnumSource(Side.class)
    void alternating_tenTimes_losesNothing(Side first) {
        JournalTable table = JournalTable.ofVarve(local, client);
        try (JournalDriver one = first.open(table);
                JournalDriver other = first.other().open(table)) {
            CheckedEntity entity = CheckedEntity.on(one, "to-and-fro");
            for (int turn = 0; turn < TURNS; turn++) {
                entity.persistTo(entity.last() + 13)
                        .persistBatchTo(entity.last() + 17)
                        .persistTo(entity.last() + 7)
                        .moveTo(turn % 2 == 0 ? other : one);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Side.class)
    void deletedEntity_keepsItsHighestSequenceNumber(Side first) {
        JournalTable table = JournalTable.ofVarve(local, client);
        try (JournalDriver one = first.open(table);
                JournalDriver other = first.other().open(table)) {
            CheckedEntity.on(one, "emptied")
                    .persistTo(103)
                    .deleteTo(103)
                    .moveTo(other)
                    .persistTo(201)
                    .deleteTo(201)
                    .moveTo(one)
                    .persistTo(203)
                    .moveTo(other);
        }
    }

    /** A prefix that ends inside a batch; the predecessor itself would replay nothing more of that batch (B2). */
    @ParameterizedTest
    @EnumSource(Side.class)
    void varveRecovers_theRestOfABatchThatWasCutByADelete(Side writer) {
        JournalTable table = JournalTable.ofPredecessor(local, client);
        try (JournalDriver first = writer.open(table);
                JournalDriver varve = Side.VARVE.open(table)) {
            CheckedEntity.on(first, "cut")
                    .persistTo(97)
                    .persistBatchTo(104)
                    .persistTo(106)
                    .deleteTo(100)
                    .moveTo(varve)
                    .persistTo(110)
                    .moveTo(varve);
        }
    }

    /** More events than one transaction takes, across two borders. */
    @ParameterizedTest
    @EnumSource(Side.class)
    void largeBatch_isRecoveredByTheOther(Side writer) {
        JournalTable table = JournalTable.ofVarve(local, client);
        try (JournalDriver first = writer.open(table);
                JournalDriver other = writer.other().open(table)) {
            CheckedEntity.on(first, "large")
                    .persistTo(90)
                    .persistBatchTo(240)
                    .moveTo(other)
                    .persistTo(245)
                    .moveTo(first);
        }
    }

    @Test
    void varveRecovers_everythingAcknowledgedByAPredecessorThatWasKilled() {
        JournalTable table = JournalTable.ofPredecessor(local, client);
        JournalDriver killed = Side.PREDECESSOR.open(table);
        CheckedEntity entity =
                CheckedEntity.on(killed, "survivor").persistTo(98).persistBatchTo(103);
        PeerProcess.shared().kill();

        try (JournalDriver varve = Side.VARVE.open(table);
                JournalDriver restarted = Side.PREDECESSOR.open(table)) {
            entity.startOn(varve).persistTo(105).moveTo(restarted);
        }
    }

    /** Bounds that cut no batch. */
    @ParameterizedTest
    @CsvSource({"9223372036854775807, 60", "99, 9223372036854775807", "104, 101", "50, 10", "150, 1", "120, 0"})
    void recoveryWithBounds_bringsTheSameOnBothSides(long toSequenceNumber, long max) {
        JournalTable table = JournalTable.ofVarve(local, client);
        try (JournalDriver predecessor = Side.PREDECESSOR.open(table);
                JournalDriver varve = Side.VARVE.open(table)) {
            CheckedEntity.on(predecessor, "bounded")
                    .persistTo(60)
                    .persistBatchTo(99)
                    .persistTo(101)
                    .persistBatchTo(104)
                    .persistTo(130)
                    .deleteTo(3)
                    .moveTo(varve);

            assertThat(varve.recoverTo("bounded", toSequenceNumber, max))
                    .isEqualTo(predecessor.recoverTo("bounded", toSequenceNumber, max));
        }
    }

    @Test
    void journalNames_shareATableOnBothSides() {
        JournalTable table = JournalTable.ofVarve(local, client);
        NodeOptions orders = new NodeOptions("orders", false);
        NodeOptions carts = new NodeOptions("carts", false);
        try (JournalDriver predecessorOrders = Side.PREDECESSOR.open(table, orders);
                JournalDriver predecessorCarts = Side.PREDECESSOR.open(table, carts);
                JournalDriver varveOrders = Side.VARVE.open(table, orders);
                JournalDriver varveCarts = Side.VARVE.open(table, carts)) {
            CheckedEntity order = CheckedEntity.on(predecessorOrders, "a-P-1-0").persistTo(3);
            CheckedEntity cart = CheckedEntity.on(varveCarts, "a-P-1-0").persistTo(5);

            order.moveTo(varveOrders).persistTo(7).moveTo(predecessorOrders);
            cart.moveTo(predecessorCarts).persistTo(9).moveTo(varveCarts);
        }
    }
}
