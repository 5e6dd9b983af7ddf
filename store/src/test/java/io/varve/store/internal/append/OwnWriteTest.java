package io.varve.store.internal.append;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.WriterConflictException;
import io.varve.store.internal.client.WriteResult;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.EventItems;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.layout.LastWritten;
import io.varve.store.internal.layout.Payload;
import io.varve.store.internal.table.JournalTable;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Items in the way of a write: its own, come back through a retry whose token DynamoDB has forgotten, or another's. */
class OwnWriteTest {
    private static final EventItems ITEMS = new EventItems(new JournalKeys("journal"), OptionalInt.empty());

    private static Event event(long number, String text, String writer, long timestamp) {
        return new Event(
                "p",
                number,
                new Payload(SdkBytes.fromUtf8String(text), 20, ""),
                writer,
                "",
                Optional.empty(),
                Set.of(),
                timestamp,
                Optional.of(new Event.Batch((int) number - 1, 1, Optional.empty())),
                Optional.empty(),
                false);
    }

    private static Map<String, AttributeValue> item(long number, String text, String writer, long timestamp) {
        return ITEMS.encode(event(number, text, writer, timestamp));
    }

    private static void check(Map<Integer, Map<String, AttributeValue>> existing) {
        @SuppressWarnings("NullAway") // no request is sent
        JournalTable table = new JournalTable(null, "table", ITEMS, 1);
        Portion portion = Portion.transaction(table, new LastWritten(0, 0));
        portion.add(List.of(
                EventItem.of(table, event(1, "one", "us", 10)), EventItem.of(table, event(2, "two", "us", 11))));
        portion.check(new WriteResult.ConditionFailed(existing, true));
        assertThat(portion.end()).isEqualTo(new LastWritten(2, 11));
    }

    private static void assertConflict(Map<Integer, Map<String, AttributeValue>> existing) {
        assertThatThrownBy(() -> check(existing)).isInstanceOf(WriterConflictException.class);
    }

    @Test
    void allItemsOurs_isStored() {
        check(Map.of(0, item(1, "one", "us", 10), 1, item(2, "two", "us", 11)));
    }

    @Test
    void onlySomeOfThemOurs_isFenced() {
        assertConflict(Map.of(0, item(1, "one", "us", 10)));
    }

    @Test
    void otherWriterPayloadOrTime_isFenced() {
        assertConflict(Map.of(0, item(1, "one", "them", 10), 1, item(2, "two", "us", 11)));
        assertConflict(Map.of(0, item(1, "one", "us", 10), 1, item(2, "other", "us", 11)));
        assertConflict(Map.of(0, item(1, "one", "us", 10), 1, item(2, "two", "us", 12)));
        assertConflict(Map.of(0, Map.of()));
    }
}
