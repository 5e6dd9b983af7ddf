package io.varve.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.interop.peer.JournalDriver;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.DynamoDBTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/**
 * Rejected events at group borders, written by either side.
 *
 * <p>The predecessor writes a high mark only with an event at a multiple of 100 or with a batch across it, so a rejected event
 * there leaves its group without one, and its own reader sees nothing of that group (B6) until the next mark is written.
 */
@DynamoDBTest
final class RejectedEventsTest {

    private final JournalTable table;

    RejectedEventsTest(DynamoDBLocal local, DynamoDbAsyncClient client) {
        this.table = JournalTable.ofPredecessor(local, client);
    }

    @Test
    void varveRecovers_whatFollowsAnEventThatPredecessorRejectedAtAGroupStart() {
        try (JournalDriver predecessor = Side.PREDECESSOR.open(table);
                JournalDriver varve = Side.VARVE.open(table)) {
            CheckedEntity entity = CheckedEntity.on(predecessor, "rejected")
                    .persistTo(99)
                    .rejectNext()
                    .persistTo(110)
                    .persistBatchTo(115);
            assertThat(table.names("SH")).isEmpty();

            entity.moveTo(varve).persistTo(201);

            entity.moveTo(predecessor).persistTo(203).moveTo(varve);
        }
    }

    @Test
    void varveRecovers_whatFollowsTwoGroupStartsThatPredecessorRejected() {
        try (JournalDriver predecessor = Side.PREDECESSOR.open(table);
                JournalDriver varve = Side.VARVE.open(table, NodeOptions.HIGH_DISTRUST)) {
            CheckedEntity entity = CheckedEntity.on(predecessor, "rejected")
                    .persistTo(99)
                    .rejectNext()
                    .persistTo(199)
                    .rejectNext()
                    .persistTo(205);
            assertThat(table.names("SH")).isEmpty();

            entity.moveTo(varve).persistTo(300).moveTo(predecessor);
        }
    }

    /** The group before is not full, so nothing but distrust tells that there is more. */
    @Test
    void varveWithHighDistrust_recoversWhatFollowsABatchThatPredecessorRejectedAcrossABorder() {
        try (JournalDriver predecessor = Side.PREDECESSOR.open(table);
                JournalDriver varve = Side.VARVE.open(table, NodeOptions.HIGH_DISTRUST)) {
            CheckedEntity entity = CheckedEntity.on(predecessor, "rejected")
                    .persistTo(94)
                    .rejectBatchTo(105)
                    .persistTo(120)
                    .persistBatchTo(124);
            assertThat(table.names("SH")).isEmpty();

            entity.moveTo(varve).persistTo(202);

            entity.moveTo(predecessor).persistTo(203).moveTo(varve);
        }
    }

    @Test
    void varveWithHighDistrust_recoversWhatFollowsTheLastAndTheFirstEventOfGroupsRejectedByPredecessor() {
        try (JournalDriver predecessor = Side.PREDECESSOR.open(table);
                JournalDriver varve = Side.VARVE.open(table, NodeOptions.HIGH_DISTRUST)) {
            CheckedEntity.on(predecessor, "rejected")
                    .persistTo(198)
                    .rejectNext()
                    .rejectNext()
                    .persistTo(207)
                    .moveTo(varve)
                    .persistTo(301)
                    .moveTo(predecessor);
        }
    }

    /** The mark is written with the first event that is stored in the group, so the predecessor sees all of it. */
    @Test
    void predecessorRecovers_whatFollowsAnEventThatVarveRejectedAtAGroupStart() {
        try (JournalDriver varve = Side.VARVE.open(table);
                JournalDriver predecessor = Side.PREDECESSOR.open(table)) {
            CheckedEntity.on(varve, "rejected")
                    .persistTo(99)
                    .rejectNext()
                    .persistTo(110)
                    .moveTo(predecessor)
                    .persistTo(112)
                    .moveTo(varve)
                    .persistTo(199)
                    .rejectNext()
                    .persistBatchTo(205)
                    .moveTo(predecessor);
        }
    }

    @Test
    void predecessorRecovers_whatFollowsABatchThatVarveRejectedAcrossABorder() {
        try (JournalDriver varve = Side.VARVE.open(table);
                JournalDriver predecessor = Side.PREDECESSOR.open(table)) {
            CheckedEntity.on(varve, "rejected")
                    .persistTo(94)
                    .rejectBatchTo(105)
                    .persistTo(106)
                    .moveTo(predecessor)
                    .persistTo(120)
                    .moveTo(varve)
                    .rejectBatchTo(201)
                    .persistBatchTo(204)
                    .moveTo(predecessor)
                    .moveTo(varve);
        }
    }

    @Test
    void predecessorRecovers_whatFollowsAGroupThatVarveRejectedAltogether() {
        try (JournalDriver varve = Side.VARVE.open(table);
                JournalDriver predecessor = Side.PREDECESSOR.open(table)) {
            CheckedEntity.on(varve, "rejected")
                    .persistTo(90)
                    .rejectBatchTo(214)
                    .persistTo(220)
                    .moveTo(predecessor)
                    .persistTo(222)
                    .moveTo(varve);
        }
    }

    /** A group's last event is no border case for the marks: the next event is stored with one. */
    @ParameterizedTest
    @EnumSource(Side.class)
    void rejectedLastEventOfAGroup_hidesNothing(Side writer) {
        try (JournalDriver first = writer.open(table);
                JournalDriver other = writer.other().open(table)) {
            CheckedEntity.on(first, "rejected")
                    .persistTo(98)
                    .rejectNext()
                    .persistTo(101)
                    .rejectBatchTo(104)
                    .persistTo(106)
                    .moveTo(other)
                    .persistTo(108)
                    .moveTo(first);
        }
    }

    /** Numbers of rejected events at the very end are known to nobody after a restart, so the next node gives them again. */
    @ParameterizedTest
    @EnumSource(Side.class)
    void rejectedNumbersAtTheEnd_areGivenAgainByTheOther(Side writer) {
        try (JournalDriver first = writer.open(table);
                JournalDriver other = writer.other().open(table)) {
            CheckedEntity.on(first, "rejected")
                    .persistTo(99)
                    .rejectNext()
                    .rejectBatchTo(103)
                    .moveTo(other)
                    .persistTo(101)
                    .rejectNext()
                    .moveTo(first)
                    .persistTo(103)
                    .moveTo(other);
        }
    }
}
