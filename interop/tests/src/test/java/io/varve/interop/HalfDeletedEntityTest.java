package io.varve.interop;

import io.varve.interop.peer.JournalDriver;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import java.util.List;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** A delete by Varve that stopped half-way, and then the predecessor. */
@DynamoDBTest
final class HalfDeletedEntityTest {

    /**
     * The predecessor takes the last event left in the last group for the highest (B4), so the highest event must be the last
     * one that Varve deletes.
     */
    @Test
    void predecessorGoesOn_afterADeleteOfVarveThatStoppedHalfWay(
            DynamoDBLocal local, DynamoDbAsyncClient client, FaultProxy proxy) {
        JournalTable table = JournalTable.ofPredecessor(local, client);
        JournalTable faulty = new JournalTable(table.name(), proxy.endpoint(), client, false);
        try (JournalDriver varve = Side.VARVE.open(faulty);
                JournalDriver predecessor = Side.PREDECESSOR.open(table)) {
            CheckedEntity entity = CheckedEntity.on(varve, "half").persistTo(130);
            proxy.on(
                    RequestMatch.operation("BatchWriteItem")
                            .where(request -> request.items() == 25
                                    && request.partitionKeys().equals(List.of("journal-P-half-1"))),
                    Fault.error(400, "AccessDeniedException", "refused by the test"));

            entity.failToDeleteTo(130).moveTo(predecessor).persistTo(132).moveTo(varve);
        }
    }
}
