package io.varve.interop;

import io.varve.interop.peer.JournalDriver;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.DynamoDBTest;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** A batch of which only a part was stored before its node died: nobody shows it, and nothing written later gets lost. */
@DynamoDBTest
final class UnfinishedBatchTest {

    private final JournalTable table;

    UnfinishedBatchTest(DynamoDBLocal local, DynamoDbAsyncClient client) {
        this.table = JournalTable.ofPredecessor(local, client);
    }

    /** The writer's batch is 91 to 240; the other goes on, then the writer again. */
    @ParameterizedTest
    @CsvSource({
        // its tail is missing, with and without the mark of the last group that has events
        "PREDECESSOR, 190, 240, true",
        "VARVE, 190, 240, true",
        "VARVE, 190, 240, false",
        "PREDECESSOR, 94, 240, false",
        "VARVE, 94, 240, false",
        // its head or its middle is missing: chunks of the predecessor's batches are sent in no order
        "PREDECESSOR, 91, 115, true",
        "PREDECESSOR, 116, 165, true"
    })
    void unfinishedBatch_staysInvisible_andTheOtherGoesOn(
            Side writer, long missingFrom, long missingTo, boolean marked) {
        CheckedEntity entity;
        try (JournalDriver dead = writer.open(table)) {
            entity = CheckedEntity.on(dead, "broken").persistTo(90).persistBatchTo(240);
            dead.stop("broken");
        }
        table.deleteEvents("broken", missingFrom, missingTo);
        if (!marked) {
            table.deleteHighMarks();
        }
        try (JournalDriver first = writer.open(table);
                JournalDriver other = writer.other().open(table)) {
            entity.forgetFrom(91).startAfterUnfinishedBatchOn(other);
            entity.persistTo(entity.last() + 3).startAfterUnfinishedBatchOn(first);
            entity.persistTo(entity.last() + 3).startAfterUnfinishedBatchOn(other);
        }
    }
}
