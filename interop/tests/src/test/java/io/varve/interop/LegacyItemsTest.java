package io.varve.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.interop.peer.JournalDriver;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.DynamoDBTest;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** Events in the older format, which neither side writes any more and both read. */
@DynamoDBTest
final class LegacyItemsTest {

    private static final String PERSISTENCE_ID = "leg";

    private final JournalTable table;

    LegacyItemsTest(DynamoDBLocal local, DynamoDbAsyncClient client) {
        this.table = JournalTable.ofPredecessor(local, client);
    }

    @Test
    void handMadeItem_isTheGoldenOne() {
        assertThat(HexFormat.of().formatHex(LegacyItems.repr("leg", 1, "old1")))
                .isEqualTo("0a080814" + "12046f6c6431" + "1001" + "1a036c6567" + "6a06772d75756964");
    }

    @ParameterizedTest
    @EnumSource(Side.class)
    void olderEvents_areRecoveredMixedWithNewOnes(Side first) {
        try (JournalDriver one = first.open(table);
                JournalDriver other = first.other().open(table)) {
            CheckedEntity entity = CheckedEntity.on(one, PERSISTENCE_ID);
            for (long number = 1; number <= 96; number++) {
                table.put(LegacyItems.event(PERSISTENCE_ID, number, "old" + number));
                entity.adopt(number, "old" + number);
            }
            for (long number = 97; number <= 103; number++) {
                table.put(LegacyItems.batchEvent(PERSISTENCE_ID, number, "old" + number, number - 97, 6));
                entity.adopt(number, "old" + number);
            }
            table.put(LegacyItems.highMark(PERSISTENCE_ID, 100));

            entity.moveTo(one)
                    .persistTo(150)
                    .persistBatchTo(155)
                    .moveTo(other)
                    .persistTo(201)
                    .moveTo(one);
            entity.deleteTo(96).moveTo(other).persistTo(203).moveTo(one);
        }
    }

    /** Part of a batch that was never finished belongs to nobody: no reader shows it. */
    @Test
    void varveRecovers_nothingOfAnOlderBatchThatWasNeverFinished() {
        try (JournalDriver predecessor = Side.PREDECESSOR.open(table);
                JournalDriver varve = Side.VARVE.open(table)) {
            CheckedEntity entity = CheckedEntity.on(predecessor, PERSISTENCE_ID);
            table.put(LegacyItems.event(PERSISTENCE_ID, 1, "old1"));
            table.put(LegacyItems.batchEvent(PERSISTENCE_ID, 2, "old2", 0, 2));
            table.put(LegacyItems.batchEvent(PERSISTENCE_ID, 3, "old3", 1, 2));
            entity.adopt(1, "old1");

            assertThat(predecessor.recover(PERSISTENCE_ID).events()).isEqualTo(entity.expected());
            assertThat(varve.recover(PERSISTENCE_ID).events()).isEqualTo(entity.expected());
        }
    }
}
