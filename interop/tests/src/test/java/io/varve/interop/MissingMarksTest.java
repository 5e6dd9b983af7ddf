package io.varve.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.interop.peer.JournalDriver;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.DynamoDBTest;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** Tables of old versions that lack high marks: a known defect of theirs, which Varve gets over by default. */
@DynamoDBTest
final class MissingMarksTest {

    private final JournalTable table;

    MissingMarksTest(DynamoDBLocal local, DynamoDbAsyncClient client) {
        this.table = JournalTable.ofPredecessor(local, client);
    }

    @Test
    void varveRecovers_withoutAnyHighMark() {
        try (JournalDriver predecessor = Side.PREDECESSOR.open(table);
                JournalDriver varve = Side.VARVE.open(table)) {
            CheckedEntity entity = CheckedEntity.on(predecessor, "unmarked")
                    .persistTo(97)
                    .persistBatchTo(104)
                    .persistTo(250);
            table.deleteHighMarks();
            // With its default settings the predecessor sees only the first group now.
            assertThat(predecessor.recover("unmarked").lastSequenceNumber()).isEqualTo(99);

            entity.moveTo(varve).persistTo(297).persistBatchTo(303);

            // The mark that Varve wrote at 300 shows the predecessor everything again.
            entity.moveTo(predecessor).persistTo(305).moveTo(varve);
        }
    }

    @Test
    void varveRecovers_withoutTheLastHighMark() {
        try (JournalDriver predecessor = Side.PREDECESSOR.open(table);
                JournalDriver varve = Side.VARVE.open(table)) {
            CheckedEntity entity =
                    CheckedEntity.on(predecessor, "unmarked").persistTo(210).deleteTo(105);
            table.delete("journal-SH-unmarked-2/0");

            entity.moveTo(varve).persistTo(301).moveTo(predecessor);
        }
    }

    @Test
    void varveRecovers_aTailThatEndsWithItsGroup() {
        try (JournalDriver predecessor = Side.PREDECESSOR.open(table);
                JournalDriver varve = Side.VARVE.open(table)) {
            CheckedEntity entity = CheckedEntity.on(predecessor, "unmarked").persistTo(199);
            table.deleteHighMarks();

            entity.moveTo(varve).persistTo(200).moveTo(predecessor);
        }
    }

    @Test
    void predecessorWithHighDistrust_andVarve_seeTheSameTail() {
        try (JournalDriver predecessor = Side.PREDECESSOR.open(table, NodeOptions.HIGH_DISTRUST);
                JournalDriver varve = Side.VARVE.open(table, NodeOptions.HIGH_DISTRUST)) {
            CheckedEntity entity = CheckedEntity.on(varve, "unmarked")
                    .persistTo(98)
                    .persistBatchTo(102)
                    .persistTo(230);
            table.deleteHighMarks();

            entity.moveTo(predecessor)
                    .persistTo(233)
                    .moveTo(varve)
                    .persistTo(235)
                    .moveTo(predecessor);
        }
    }
}
