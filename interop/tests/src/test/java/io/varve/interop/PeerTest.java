package io.varve.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.interop.peer.Command;
import io.varve.interop.peer.JournalDriver;
import io.varve.interop.peer.JournalDriverException;
import io.varve.interop.peer.Recovered;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.DynamoDBTest;
import java.util.List;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** The peer itself, and that the predecessor behaves as the other tests take for granted. */
@DynamoDBTest
final class PeerTest {

    private final JournalTable table;

    PeerTest(DynamoDBLocal local, DynamoDbAsyncClient client) {
        this.table = JournalTable.ofPredecessor(local, client);
    }

    @Test
    void predecessorRecovers_whatItWroteItself() {
        try (JournalDriver one = Side.PREDECESSOR.open(table);
                JournalDriver other = Side.PREDECESSOR.open(table)) {
            CheckedEntity.on(one, "self")
                    .persistTo(95)
                    .persistBatchTo(104)
                    .persistTo(120)
                    .moveTo(other)
                    .rejectNext()
                    .rejectBatchTo(125)
                    .persistTo(130)
                    .moveTo(one)
                    .deleteTo(104)
                    .moveTo(other)
                    .rejectNext()
                    .moveTo(one)
                    .persistTo(132);
        }
    }

    @Test
    void recovery_withBounds_bringsSoMuch() {
        try (JournalDriver node = Side.PREDECESSOR.open(table)) {
            CheckedEntity entity = CheckedEntity.on(node, "bounded").persistTo(12);

            Recovered some = node.recoverTo("bounded", 7, 5);

            assertThat(some).isEqualTo(new Recovered(entity.expected().subList(0, 5), 12));
        }
    }

    @Test
    void failure_isReported() {
        try (JournalDriver node = Side.PREDECESSOR.open(table)) {
            assertThatThrownBy(() -> node.persist("never-started", "event"))
                    .isInstanceOf(JournalDriverException.class)
                    .hasMessageContaining("never-started is not running");
        }
    }

    @Test
    void process_endsWithItsInput() {
        PeerProcess process = PeerProcess.start();
        assertThatThrownBy(() -> process.call(Command.CLOSE, List.of("nobody")))
                .hasMessageContaining("there is no node nobody");

        assertThat(process.endOfInput()).isZero();
    }

    /** The defect B6: without a high mark the predecessor itself sees nothing of what it acknowledged later. */
    @Test
    void predecessorHides_whatFollowsItsRejectedEventAtAGroupBorder() {
        try (JournalDriver node = Side.PREDECESSOR.open(table)) {
            CheckedEntity.on(node, "hidden").persistTo(99).rejectNext().persistTo(103);

            assertThat(table.names("SH")).isEmpty();
            assertThat(node.recover("hidden").lastSequenceNumber()).isEqualTo(99);
        }
    }
}
